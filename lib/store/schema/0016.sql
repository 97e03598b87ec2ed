-- Where its turns work unless they are told, the real path; null: in its own workspace.
ALTER TABLE agents ADD COLUMN place TEXT;
CREATE UNIQUE INDEX agents_place ON agents(place) WHERE status <> 'destroyed' AND place IS NOT NULL;
