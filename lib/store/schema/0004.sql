-- What stood before a thread's messages, and where its window began: a row where that is not what the
-- request before had, so that providers' caches began anew. message_id: the newest one of the first
-- such request. The texts are the first 16 digits of their SHA-256.
CREATE TABLE prefixes (
  agent_id INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  message_id INTEGER NOT NULL,
  window_start INTEGER NOT NULL,
  model TEXT NOT NULL,
  prompt TEXT NOT NULL,
  docs TEXT NOT NULL,
  project TEXT NOT NULL,
  tools TEXT NOT NULL,
  PRIMARY KEY (agent_id, thread_id, message_id),
  FOREIGN KEY (agent_id, thread_id) REFERENCES threads(agent_id, thread_id)
) STRICT, WITHOUT ROWID;
