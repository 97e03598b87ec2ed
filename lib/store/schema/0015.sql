-- What the call changed in a file, as a unified diff; null where it changed none.
ALTER TABLE tool_runs ADD COLUMN patch TEXT;
