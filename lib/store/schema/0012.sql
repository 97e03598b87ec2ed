-- An import that is at work or was broken off: messages and turns with ids in its ranges are nobody's
-- until its row is deleted, and so are its threads. Whoever reads asks the views.
CREATE TABLE imports (
  agent_id INTEGER PRIMARY KEY REFERENCES agents(id) ON DELETE CASCADE,
  first_message INTEGER NOT NULL DEFAULT 0,
  last_message INTEGER NOT NULL DEFAULT 0,
  first_turn INTEGER NOT NULL DEFAULT 0,
  last_turn INTEGER NOT NULL DEFAULT 0
) STRICT;
ALTER TABLE threads ADD COLUMN is_importing INTEGER NOT NULL DEFAULT 0;
CREATE VIEW known_messages AS SELECT * FROM messages
WHERE id < (SELECT coalesce(min(first_message), 9223372036854775807) FROM imports)
OR NOT EXISTS (SELECT 1 FROM imports WHERE messages.id BETWEEN first_message AND last_message);
CREATE VIEW known_turns AS SELECT * FROM turns
WHERE id < (SELECT coalesce(min(first_turn), 9223372036854775807) FROM imports)
OR NOT EXISTS (SELECT 1 FROM imports WHERE turns.id BETWEEN first_turn AND last_turn);
