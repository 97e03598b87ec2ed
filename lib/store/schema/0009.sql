-- The audit log is read by the agent's name, which rows of earlier namesakes have, too; what waits is
-- looked for in the whole home with every command.
DROP INDEX IF EXISTS audit_agent;
CREATE INDEX IF NOT EXISTS audit_name ON audit_log(agent_name);
CREATE INDEX IF NOT EXISTS prompts_waiting ON prompts(state) WHERE state = 'pending';
