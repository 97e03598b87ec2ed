-- The counter of AUTOINCREMENT is a page that each insert writes. The newest row has the newest id but
-- where rows were deleted, or ids were taken for an import; then the counter's row keeps it.
DROP VIEW IF EXISTS searchable;
ALTER TABLE messages RENAME TO counted_messages;
CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  agent_id INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  turn_id INTEGER REFERENCES turns(id),
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool_result')),
  timestamp INTEGER NOT NULL,
  tool_call_id TEXT,
  tokens INTEGER,
  restored_from TEXT,
  original_timestamp INTEGER,
  compacted_into INTEGER,
  prefix_hash TEXT,
  content TEXT NOT NULL,
  tool_calls TEXT,
  extra TEXT,
  FOREIGN KEY (agent_id, thread_id) REFERENCES threads(agent_id, thread_id)
) STRICT;
INSERT INTO messages (id, agent_id, thread_id, turn_id, role, timestamp, tool_call_id, tokens, restored_from,
  original_timestamp, compacted_into, prefix_hash, content, tool_calls, extra)
SELECT id, agent_id, thread_id, turn_id, role, timestamp, tool_call_id, tokens, restored_from, original_timestamp,
  compacted_into, prefix_hash, content, tool_calls, extra FROM counted_messages;
INSERT INTO sqlite_sequence (name, seq) SELECT 'messages', seq FROM sqlite_sequence WHERE name = 'counted_messages';
DROP TABLE counted_messages;
CREATE INDEX messages_thread ON messages(agent_id, thread_id);
CREATE INDEX messages_turn ON messages(turn_id) WHERE turn_id IS NOT NULL;
CREATE VIEW searchable AS SELECT id,
  CASE role WHEN 'user' THEN content END AS prompt,
  CASE role WHEN 'assistant' THEN content END AS answer,
  (SELECT group_concat(replace(replace(replace(replace(
     atom, '\n', char(10)), '\t', char(9)), '\"', '"'), '\\', '\'), char(10))
   FROM json_tree(messages.tool_calls) WHERE key IN ('name', 'arguments')) AS arguments,
  CASE role WHEN 'tool_result' THEN content END AS output
FROM messages;
