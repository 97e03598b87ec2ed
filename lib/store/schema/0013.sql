-- A date of the agent, `newest`, lay more than a day ahead of the clock when its message
-- `first_message` was written, at `since` by that clock. Which of the two clocks was wrong is known once
-- the clock is at `newest` again.
CREATE TABLE clock_disputes (
  agent_id INTEGER NOT NULL REFERENCES agents(id) ON DELETE CASCADE,
  first_message INTEGER NOT NULL,
  newest INTEGER NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (agent_id, first_message)
) STRICT, WITHOUT ROWID;
