-- Sub-agents work where their agent does.
DROP INDEX agents_place;
CREATE UNIQUE INDEX agents_place ON agents(place)
  WHERE status <> 'destroyed' AND place IS NOT NULL AND kind = 'agent';
-- Of a sub-agent that a call spawned: the call, and the rights of its turn.
ALTER TABLE agents ADD COLUMN parent_turn INTEGER;
ALTER TABLE agents ADD COLUMN parent_call TEXT;
ALTER TABLE agents ADD COLUMN rights TEXT;
CREATE INDEX agents_call ON agents(parent_turn) WHERE parent_turn IS NOT NULL;
