-- Who sent it, as turns name their actor: a turn works for each of them.
ALTER TABLE inbox ADD COLUMN actor TEXT NOT NULL DEFAULT '';
