-- The state of credential profiles; the profiles themselves are in credentials.json, their keys
-- never here.
CREATE TABLE active_profiles (
  provider TEXT PRIMARY KEY,
  name TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- A profile is rate-limited until then.
CREATE TABLE cooling_profiles (
  name TEXT PRIMARY KEY,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE profile_switches (
  id INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  at INTEGER NOT NULL,
  previous TEXT NOT NULL,
  next TEXT NOT NULL,
  cause TEXT NOT NULL CHECK (cause IN ('rate_limited', 'requested', 'forced')),
  turn_id INTEGER
) STRICT;
CREATE INDEX profile_switches_time ON profile_switches(provider, at);
-- A switch that was requested while a turn ran: its next model call carries it out.
CREATE TABLE requested_switches (
  provider TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  is_forced INTEGER NOT NULL CHECK (is_forced IN (0, 1)),
  at INTEGER NOT NULL,
  actor TEXT NOT NULL
) STRICT, WITHOUT ROWID;
