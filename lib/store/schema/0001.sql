-- The tables of chorus(7), section DATABASE. Every process parses the CREATE statements again when it
-- opens the file, so reasons stand between them, not inside.
-- Times are epoch milliseconds UTC. NULL is "none"; an empty string is an empty text.

-- kind 'child': a sub-agent. Ids name lock files, so they are never given twice.
-- newest_timestamp: of its messages; a new one is never older.
CREATE TABLE agents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  generation INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'child')),
  parent_id INTEGER REFERENCES agents(id),
  preset TEXT NOT NULL,
  dir TEXT NOT NULL,
  model TEXT NOT NULL,
  permissions TEXT NOT NULL,
  description TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('creating', 'active', 'destroying', 'destroyed')),
  created_at INTEGER NOT NULL,
  destroyed_at INTEGER,
  files_kept INTEGER NOT NULL DEFAULT 0,
  last_clear_time INTEGER NOT NULL DEFAULT 0,
  last_clear_message INTEGER NOT NULL DEFAULT 0,
  rolling_window INTEGER,
  turn_count INTEGER NOT NULL DEFAULT 0,
  last_activity INTEGER NOT NULL DEFAULT 0,
  newest_timestamp INTEGER NOT NULL DEFAULT 0,
  UNIQUE (name, generation)
) STRICT;
CREATE UNIQUE INDEX agents_name ON agents(name) WHERE status <> 'destroyed' AND kind = 'agent';
-- A branch copies the rows of sub-agents under the same name, so theirs is the directory.
CREATE UNIQUE INDEX agents_child ON agents(dir) WHERE status <> 'destroyed' AND kind = 'child';
CREATE INDEX agents_activity ON agents(last_activity) WHERE status = 'active';

CREATE TABLE threads (
  agent_id INTEGER NOT NULL REFERENCES agents(id) ON DELETE CASCADE,
  thread_id INTEGER NOT NULL CHECK (thread_id > 0),
  branch TEXT NOT NULL,
  parent_thread INTEGER,
  branch_point INTEGER,
  summary TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('idle', 'running', 'waiting_for_permission', 'completed')),
  window_start INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_activity INTEGER NOT NULL,
  PRIMARY KEY (agent_id, thread_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE turns (
  id INTEGER PRIMARY KEY,
  agent_id INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  turn_number INTEGER NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  pid INTEGER,
  pid_start INTEGER,
  actor TEXT NOT NULL,
  model TEXT NOT NULL,
  profile TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  exit_code INTEGER,
  iterations INTEGER NOT NULL,
  tool_calls INTEGER NOT NULL,
  current_step TEXT NOT NULL,
  error_category TEXT NOT NULL,
  error_detail TEXT NOT NULL,
  resume_at INTEGER,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  cost_usd REAL,
  idempotency_key TEXT,
  options TEXT NOT NULL,
  result TEXT NOT NULL,
  working_directory TEXT NOT NULL,
  prefix_hash TEXT NOT NULL,
  commit_before TEXT NOT NULL,
  commit_after TEXT NOT NULL,
  FOREIGN KEY (agent_id, thread_id) REFERENCES threads(agent_id, thread_id),
  UNIQUE (agent_id, thread_id, turn_number)
) STRICT;
CREATE UNIQUE INDEX turns_open ON turns(agent_id, thread_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX turns_key ON turns(agent_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE TABLE steps (
  turn_id INTEGER NOT NULL REFERENCES turns(id),
  step_number INTEGER NOT NULL,
  description TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  duration_ms INTEGER NOT NULL,
  PRIMARY KEY (turn_id, step_number)
) STRICT, WITHOUT ROWID;

-- Ids are never given twice: a clear remembers one, and a pruned one that came back would be hidden.
-- What may be long stands last, so that the rest is read without its overflow pages.
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
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
-- The window query: rows of one thread lie in order of id, the hidden last column.
CREATE INDEX messages_thread ON messages(agent_id, thread_id);
CREATE INDEX messages_turn ON messages(turn_id) WHERE turn_id IS NOT NULL;

-- What of a message is searched, by who said it. Arguments are JSON within JSON and may be malformed:
-- their commonest escapes are undone, so that "\nfoo" is the word foo. (json_extract and json_valid
-- cannot stand in a view with trusted_schema=OFF, json_tree can.)
CREATE VIEW searchable AS SELECT id,
  CASE role WHEN 'user' THEN content END AS prompt,
  CASE role WHEN 'assistant' THEN content END AS answer,
  (SELECT group_concat(replace(replace(replace(replace(
     atom, '\n', char(10)), '\t', char(9)), '\"', '"'), '\\', '\'), char(10))
   FROM json_tree(messages.tool_calls) WHERE key IN ('name', 'arguments')) AS arguments,
  CASE role WHEN 'tool_result' THEN content END AS output
FROM messages;
-- Rows are copied from the view by the transaction that writes the message: a trigger into FTS5 is
-- refused with trusted_schema=OFF. FTS5's 'rebuild' is refused too, as the view reads json_tree; what
-- does the same is 'delete-all' and copying every row.
CREATE VIRTUAL TABLE messages_fts USING fts5(prompt, answer, arguments, output,
  content = 'searchable', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2');

CREATE TABLE tool_runs (
  turn_id INTEGER NOT NULL REFERENCES turns(id),
  tool_call_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  tool TEXT NOT NULL,
  action TEXT NOT NULL,
  decision TEXT NOT NULL,
  evidence TEXT NOT NULL,
  intent_at INTEGER,
  finished_at INTEGER,
  outcome TEXT CHECK (outcome IN ('ok', 'error', 'denied', 'interrupted', 'unknown', 'cancelled', 'expired')),
  PRIMARY KEY (turn_id, tool_call_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  agent_id INTEGER NOT NULL REFERENCES agents(id),
  id TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  description TEXT NOT NULL,
  summary TEXT NOT NULL,
  trigger TEXT NOT NULL,
  saved_at INTEGER NOT NULL,
  message_count INTEGER NOT NULL,
  window_start INTEGER,
  window_end INTEGER,
  file_path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (agent_id, id)
) STRICT;
CREATE INDEX sessions_saved ON sessions(agent_id, saved_at);

CREATE TABLE prompts (
  id TEXT PRIMARY KEY NOT NULL,
  agent_id INTEGER NOT NULL REFERENCES agents(id),
  turn_id INTEGER REFERENCES turns(id),
  kind TEXT NOT NULL CHECK (kind IN ('permission', 'question', 'trust')),
  tool_call_id TEXT,
  action TEXT NOT NULL,
  tool TEXT NOT NULL,
  arguments TEXT NOT NULL,
  arguments_hash TEXT NOT NULL,
  text TEXT NOT NULL,
  options TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'answered', 'expired', 'cancelled')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  decided_at INTEGER,
  decided_by TEXT NOT NULL,
  answer TEXT NOT NULL,
  consumed_at INTEGER
) STRICT;
CREATE INDEX prompts_turn ON prompts(turn_id);
CREATE INDEX prompts_pending ON prompts(agent_id) WHERE state = 'pending';

CREATE TABLE inbox (
  id INTEGER PRIMARY KEY,
  agent_id INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  source TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  delivered_turn INTEGER REFERENCES turns(id),
  FOREIGN KEY (agent_id, thread_id) REFERENCES threads(agent_id, thread_id)
) STRICT;
CREATE INDEX inbox_undelivered ON inbox(agent_id, thread_id) WHERE delivered_turn IS NULL;

CREATE TABLE tasks (
  agent_id INTEGER NOT NULL REFERENCES agents(id),
  task_id TEXT NOT NULL,
  turn_id INTEGER REFERENCES turns(id),
  command TEXT NOT NULL,
  cwd TEXT NOT NULL,
  pid INTEGER,
  pid_start INTEGER,
  boot_id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  status TEXT NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'killed', 'lost')),
  exit_code INTEGER,
  signal INTEGER,
  PRIMARY KEY (agent_id, task_id)
) STRICT;
CREATE INDEX tasks_running ON tasks(agent_id) WHERE ended_at IS NULL;

-- Rows stay for ever, whatever happens to what they name: no foreign keys, and ids without gaps.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY,
  agent_id INTEGER,
  agent_name TEXT NOT NULL,
  timestamp INTEGER NOT NULL,
  turn_id INTEGER,
  action_string TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('allow', 'ask_approved', 'ask_denied', 'deny')),
  user_id INTEGER NOT NULL,
  actor TEXT NOT NULL,
  detail TEXT NOT NULL,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_agent ON audit_log(agent_id, timestamp);
CREATE INDEX audit_turn ON audit_log(turn_id) WHERE turn_id IS NOT NULL;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  agent_id INTEGER NOT NULL,
  thread_id INTEGER,
  turn_id INTEGER,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  previous TEXT NOT NULL,
  next TEXT NOT NULL,
  cause TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX events_agent ON events(agent_id);

CREATE TABLE credentials (
  provider TEXT NOT NULL,
  name TEXT NOT NULL,
  position INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'available', 'rate_limited')),
  cooldown_until INTEGER,
  last_error TEXT NOT NULL,
  PRIMARY KEY (provider, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE credential_switches (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  provider TEXT NOT NULL,
  from_name TEXT NOT NULL,
  to_name TEXT NOT NULL,
  turn_id INTEGER REFERENCES turns(id),
  cause TEXT NOT NULL
) STRICT;

CREATE TABLE artifacts (
  agent_id INTEGER NOT NULL REFERENCES agents(id),
  artifact_id TEXT NOT NULL,
  turn_id INTEGER REFERENCES turns(id),
  kind TEXT NOT NULL CHECK (kind IN ('file', 'data', 'dataset')),
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  status TEXT NOT NULL,
  version INTEGER NOT NULL,
  size INTEGER NOT NULL,
  path TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (agent_id, artifact_id)
) STRICT;

-- Machine state only; configuration is config.json and agent.json.
CREATE TABLE settings (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE reservations (
  id INTEGER PRIMARY KEY,
  turn_id INTEGER NOT NULL REFERENCES turns(id),
  at INTEGER NOT NULL,
  usd REAL,
  tokens INTEGER NOT NULL,
  settled INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX reservations_open ON reservations(turn_id) WHERE settled = 0;
