-- Every process reads the schema before its first statement, and views and triggers take longest to
-- read. What they did is a part of the statements now (store/known.hpp, store/prompts.cpp).
DROP VIEW IF EXISTS known_messages;
DROP VIEW IF EXISTS known_turns;
DROP VIEW IF EXISTS known_threads;
DROP TRIGGER IF EXISTS fingerprints_used;
DROP TRIGGER IF EXISTS fingerprints_of_destroyed;
