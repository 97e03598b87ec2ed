-- prompts.files is from now on the SHA-256 of the workspace's state: when it was asked, and once it
-- is approved, when it was. The state itself is kept, packed, as long as an approval may need it;
-- without it the call is asked about again, so that all this may be made anew.
DROP TABLE IF EXISTS fingerprints;
CREATE TABLE fingerprints (
  hash TEXT PRIMARY KEY NOT NULL,
  packed BLOB NOT NULL
) STRICT;
DROP INDEX IF EXISTS prompts_bound;
CREATE INDEX prompts_bound ON prompts(files)
  WHERE consumed_at IS NULL AND state IN ('pending', 'approved');
DROP TRIGGER IF EXISTS fingerprints_used;
CREATE TRIGGER fingerprints_used AFTER UPDATE OF state, files, consumed_at ON prompts
WHEN old.files <> '' BEGIN
  DELETE FROM fingerprints WHERE hash = old.files AND NOT EXISTS (
    SELECT 1 FROM prompts WHERE files = old.files
    AND consumed_at IS NULL AND state IN ('pending', 'approved'));
END;
DROP TRIGGER IF EXISTS fingerprints_of_destroyed;
CREATE TRIGGER fingerprints_of_destroyed AFTER UPDATE OF status ON agents
WHEN new.status = 'destroyed' BEGIN
  UPDATE prompts SET files = '' WHERE agent_id = new.id
  AND consumed_at IS NULL AND state IN ('pending', 'approved');
END;
