-- The ledger: a row for each request to a model. Money is in micro-dollars, NULL if the price is not
-- known. A reserved row holds the most that a request in flight may use, and its process; when that
-- process is gone, the row is settled as estimated.
CREATE TABLE model_calls (
  id INTEGER PRIMARY KEY, -- when it was sent, in microseconds, or a little later
  agent_id INTEGER NOT NULL,
  turn_id INTEGER,
  model TEXT NOT NULL,
  profile TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'estimated')),
  pid INTEGER,
  pid_start INTEGER,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  cost INTEGER
) STRICT;
CREATE INDEX model_calls_reserved ON model_calls(id) WHERE state = 'reserved';
-- What the rows that are not reserved add up to. A day is a local one; cost is of those with a price.
CREATE TABLE usage_sums (
  day TEXT NOT NULL,
  agent_id INTEGER NOT NULL,
  model TEXT NOT NULL,
  profile TEXT NOT NULL,
  calls INTEGER NOT NULL,
  priced_calls INTEGER NOT NULL,
  estimated_calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  PRIMARY KEY (day, agent_id, model, profile)
) STRICT, WITHOUT ROWID;
ALTER TABLE turns ADD COLUMN reasoning_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN cost INTEGER;
ALTER TABLE turns DROP COLUMN cost_usd;
-- of earlier turns the calls are not known: a row each
INSERT INTO model_calls
SELECT started_at * 1000 + row_number() OVER (PARTITION BY started_at ORDER BY id), agent_id, id, model, profile,
  'settled', NULL, NULL, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, 0, NULL
FROM turns WHERE attempt > 0 AND input_tokens + output_tokens > 0;
INSERT INTO usage_sums
SELECT date(id / 1000000, 'unixepoch', 'localtime'), agent_id, model, profile, count(*), 0, 0, sum(input_tokens),
  sum(output_tokens), sum(cache_read_tokens), sum(cache_write_tokens), 0, 0
FROM model_calls GROUP BY 1, 2, 3, 4;
