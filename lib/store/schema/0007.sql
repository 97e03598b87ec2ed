-- What turns have for the channel, in their order, until it is posted: a row is deleted first. The
-- table may be made anew.
DROP TABLE IF EXISTS outbox;
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_id INTEGER NOT NULL REFERENCES agents(id),
  turn_id INTEGER REFERENCES turns(id),
  content TEXT NOT NULL
) STRICT;
CREATE INDEX outbox_agent ON outbox(agent_id);
