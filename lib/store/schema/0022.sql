-- A message that a call or a sub-agent leaves is left once.
ALTER TABLE inbox ADD COLUMN idempotency_key TEXT;
CREATE UNIQUE INDEX inbox_key ON inbox(idempotency_key) WHERE idempotency_key IS NOT NULL;
-- The steps a turn says it takes, as events show them; null: it said none.
ALTER TABLE turns ADD COLUMN plan TEXT;
