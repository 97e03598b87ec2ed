-- trimmed: the newest message of the thread that was removed; 0: none.
ALTER TABLE threads ADD COLUMN trimmed INTEGER NOT NULL DEFAULT 0;
