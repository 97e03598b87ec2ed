-- What a turn says is not written again in its thread, and an event lies in its agent's place of one
-- tree instead of in a table and an index: each of a turn's commits writes two pages less.
ALTER TABLE threads DROP COLUMN status;
CREATE VIEW known_threads AS SELECT agent_id, thread_id, branch, parent_thread, branch_point, summary,
  coalesce((SELECT CASE state WHEN 'prompt' THEN 'waiting_for_permission' WHEN 'parked' THEN 'idle'
      ELSE 'running' END FROM turns WHERE turns.agent_id = threads.agent_id
      AND turns.thread_id = threads.thread_id AND ended_at IS NULL), 'idle') AS status,
  window_start, window_floor, cut_rolling_window, cut_max_messages, cut_token_budget, compaction,
  created_at,
  max(last_activity, coalesce((SELECT max(started_at, coalesce(ended_at, 0)) FROM turns
      WHERE turns.agent_id = threads.agent_id AND turns.thread_id = threads.thread_id
      ORDER BY turn_number DESC LIMIT 1), 0)) AS last_activity
FROM threads WHERE NOT is_importing;

CREATE TABLE events_by_agent (
  agent_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  thread_id INTEGER,
  turn_id INTEGER,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  previous TEXT NOT NULL,
  next TEXT NOT NULL,
  cause TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO events_by_agent SELECT agent_id, id, thread_id, turn_id, at, kind, previous, next, cause, data FROM events;
DROP TABLE events;
ALTER TABLE events_by_agent RENAME TO events;
