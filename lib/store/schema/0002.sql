-- What an approval is bound to beside the arguments: the directory, the profile, and what the files
-- that the call names held.
ALTER TABLE prompts ADD COLUMN directory TEXT NOT NULL DEFAULT '';
ALTER TABLE prompts ADD COLUMN profile TEXT NOT NULL DEFAULT '';
ALTER TABLE prompts ADD COLUMN files TEXT NOT NULL DEFAULT '';
