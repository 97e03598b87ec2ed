-- thread_id and tool_call_id: the call that started it; on_exit: what its agent is told when it ends
-- ('' nothing), goes_on: and a turn is begun; depth: how many tasks, each begun by a turn that the one
-- before began, led to it; rights: the profiles and the sandbox of the turn that started it.
ALTER TABLE tasks ADD COLUMN thread_id INTEGER NOT NULL DEFAULT 1;
ALTER TABLE tasks ADD COLUMN tool_call_id TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN actor TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN on_exit TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN goes_on INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN rights TEXT NOT NULL DEFAULT '';
CREATE INDEX tasks_ended ON tasks(agent_id, ended_at) WHERE ended_at IS NOT NULL;
-- A message that a task left: how deep it was, and what its turn might do.
ALTER TABLE inbox ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN rights TEXT NOT NULL DEFAULT '';
CREATE INDEX inbox_delivered ON inbox(delivered_turn) WHERE delivered_turn IS NOT NULL;
