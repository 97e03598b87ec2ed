-- compaction: the message that stands for earlier ones of the thread. It is in the window whatever the
-- cut: its id is greater than those of the messages behind it, and smaller in a branch.
ALTER TABLE threads ADD COLUMN compaction INTEGER NOT NULL DEFAULT 0;
UPDATE threads SET compaction = coalesce((SELECT max(id) FROM messages
  WHERE agent_id = threads.agent_id AND thread_id = threads.thread_id AND compacted_into IS NULL
  AND json_extract(extra, '$.compaction')), 0);
-- window_floor: nothing before it comes back, whatever the limits become: a summary stands for it, or the
-- thread began there. cut_…: the limits by which window_start was found; 0: none, -1: not known.
ALTER TABLE threads ADD COLUMN window_floor INTEGER NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN cut_rolling_window INTEGER NOT NULL DEFAULT -1;
ALTER TABLE threads ADD COLUMN cut_max_messages INTEGER NOT NULL DEFAULT -1;
ALTER TABLE threads ADD COLUMN cut_token_budget INTEGER NOT NULL DEFAULT -1;
UPDATE threads SET window_floor = window_start WHERE compaction <> 0;
