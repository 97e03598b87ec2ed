-- Messages with greater ids may wait to be indexed (store/text_index.hpp).
INSERT INTO settings (scope, key, value) SELECT 'search', 'indexed', max(id) FROM messages HAVING count(*) > 0;
-- Nothing reads these.
DROP INDEX agents_activity;
DROP TABLE credential_switches;
DROP TABLE credentials;
DROP TABLE reservations;
