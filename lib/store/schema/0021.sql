-- Sub-agents work where their agent does.
DROP INDEX agents_place;
CREATE UNIQUE INDEX agents_place ON agents(place)
  WHERE status <> 'destroyed' AND place IS NOT NULL AND kind = 'agent';
