-- The bytes of files that users attached to messages, once for each agent. A message has the hash in
-- extra.attachments.
CREATE TABLE attachments (
  agent_id INTEGER NOT NULL REFERENCES agents(id),
  sha256 TEXT NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (agent_id, sha256)
) STRICT;
