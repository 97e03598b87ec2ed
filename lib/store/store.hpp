// The SQLite file of a home. Every process opens it itself. Every write transaction is BEGIN
// IMMEDIATE behind the write gate, and durable once commit() has returned (WAL, synchronous=FULL).
// Errors: Error(failed) with SQLite's message; Error(config_invalid) for a newer database, which is
// not changed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;

namespace chorus::store {

class Gate;
class Statement;
// Whether to give up; throws nothing.
using Stop = std::function<bool()>;

// An older schema is migrated, or is Error(config_invalid).
enum class IfOld { migrate, refuse };
// A database that is missing or has no schema is created (a missing one may be Error(not_found)
// instead), or is Error(config_invalid) because agents exist and their record is lost.
enum class IfEmpty { make, not_found, refuse };

class Store {
  public:
    struct Paths {
        std::string database;  // $CHORUS_HOME/chorus.db
        std::string gate;      // $CHORUS_HOME/locks/database
        // $CHORUS_HOME/locks/presence, held shared while the database is open; "": no lock.
        std::string presence = {};
    };
    // Creates the file (0600) and migrates it if needed. Error(config_invalid) with nothing changed
    // if the log beside the file belongs to another database (see put_back); Error(agent_busy)
    // while put_back runs.
    static Store open(const Paths& paths, IfOld if_old = IfOld::migrate,
                      IfEmpty if_empty = IfEmpty::make);
    static Store open_existing(const Paths& paths) {
        return open(paths, IfOld::migrate, IfEmpty::not_found);
    }

    // Opens the database for a quick read: creates nothing, migrates nothing and does not wait,
    // whatever other processes do. Returns nothing if there is no database. The schema may be an
    // older one.
    static std::optional<Store> look(const Paths& paths);

    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;
    ~Store();

    // Prepares a statement once and keeps it; the returned statement (store/sqlite.hpp) resets
    // itself when it goes out of scope. A statement that writes needs an open Transaction, else
    // Error(internal).
    Statement prepare(std::string_view sql);
    sqlite3* handle() const;
    std::int64_t last_insert_id() const;
    std::int64_t changed_rows() const;
    // Sets how long a transaction waits for other writers, as in Gate; 10 s by default.
    void set_patience(std::int64_t most_ms, std::function<bool()> stop);
    // From now on a statement that takes long throws Error(canceled) when `stop` returns true; its
    // transaction is rolled back.
    void stop_when(Stop stop);
    // Returns a number that differs from the last call's if another connection has committed in
    // between.
    std::int64_t version_by_others();

  private:
    friend class Transaction;
    friend class ReadTransaction;
    struct Connection;
    explicit Store(std::unique_ptr<Connection> connection);
    std::unique_ptr<Connection> connection_;
};

// This says what a committed transaction survives. The next one that survives a crash of the system
// also puts those before it on the disk.
enum class Survives { system_crash, process };

// Rolls back unless committed. Holds the gate from BEGIN to COMMIT; never open across a model call,
// a tool or a question.
class Transaction {
  public:
    explicit Transaction(Store& store, Survives survives = Survives::system_crash);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

  private:
    Store& store_;
    std::unique_lock<Gate> passage_;
    bool is_synced_;
    bool open_ = true;
    bool is_committing_ = false;
};

// Until it goes, every read sees one state of the database, whatever other processes commit. Inside
// a transaction of the same store it adds nothing. A write meanwhile is Error(internal).
class ReadTransaction {
  public:
    explicit ReadTransaction(Store& store);
    ~ReadTransaction();
    ReadTransaction(const ReadTransaction&) = delete;
    ReadTransaction& operator=(const ReadTransaction&) = delete;

  private:
    Store& store_;
    bool is_ours_;
};

int schema_version();

}  // namespace chorus::store
