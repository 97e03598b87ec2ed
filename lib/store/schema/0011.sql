-- The workspace as it was (agent/snapshots.hpp) before a turn's first writing call, cause 'turn', or
-- before a rewind put it back, 'rewind': turn_id is the newest turn then. tree: '' where there is none,
-- and problem says why. store_bytes: what the store took then, or a little more.
DROP TABLE IF EXISTS checkpoints;
CREATE TABLE checkpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_id INTEGER NOT NULL REFERENCES agents(id),
  turn_id INTEGER NOT NULL,
  cause TEXT NOT NULL CHECK (cause IN ('turn', 'rewind')),
  made_at INTEGER NOT NULL,
  tree TEXT NOT NULL,
  problem TEXT NOT NULL,
  store_bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX checkpoints_turn ON checkpoints(agent_id, turn_id);
-- What turns before this wrote nobody knows.
INSERT INTO checkpoints (agent_id, turn_id, cause, made_at, tree, problem, store_bytes)
  SELECT agent_id, max(id), 'turn', max(started_at), '', 'its turn is older than checkpoints', 0
  FROM turns GROUP BY agent_id;
