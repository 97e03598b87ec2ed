// The memory that SQLite uses. Include it in .cpp files only.
#pragma once

namespace chorus::store {

// Called before SQLite is used for the first time. A turn parses the schema and a hundred
// statements once: this takes a third of the time of malloc(3).
void set_sqlite_memory();

}  // namespace chorus::store
