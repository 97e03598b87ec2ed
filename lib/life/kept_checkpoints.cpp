#include "life/kept_checkpoints.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"

namespace chorus::life {
namespace {

namespace limits = base::limits;
using Rows = std::vector<store::Checkpoint>;

constexpr std::size_t most_named = 3;
// A sweep reads all trees to find the used contents, so it is not done for every checkpoint.
constexpr std::size_t slack = 8;

std::string told_left_out(const agent::Checkpoints::Kept& kept) {
    return "rewind --workspace cannot restore " +
           base::visible(base::first_few(kept.left_out, most_named), base::Newlines::escape) +
           (kept.no_room ? ": there is no room on the disk, or it is " : ": ") +
           "too large for a checkpoint (limits.checkpoint_mib of config.json), or unreadable";
}

void drop(store::Store& store, Rows::const_iterator first, Rows::const_iterator last,
          std::string_view why) {
    if (first == last) return;
    store::Transaction transaction(store);
    for (; first != last; ++first) store::remove_checkpoint(store, first->id, why);
    transaction.commit();
}

// `rows` are newest first. Removes those made before `before`, except the first `spared`; returns
// how many.
std::int64_t drop_old(store::Store& store, Rows& rows, std::size_t spared, base::TimeMs before) {
    const auto old =
        std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(spared), rows.end(),
                     [&](const store::Checkpoint& row) { return row.made_at < before; });
    const std::int64_t count = rows.end() - old;
    drop(store, old, rows.end(), "it was too old");
    rows.erase(old, rows.end());
    return count;
}

std::int64_t swept(const agent::Checkpoints& kept, const Rows& rows) {
    std::set<std::string> trees;
    for (const store::Checkpoint& row : rows) trees.insert(row.tree);
    return kept.sweep(trees);
}

// `rows` are newest first; the newest stays. Returns the size of the store afterwards.
std::int64_t prune(store::Store& store, const agent::Checkpoints& kept, Rows rows,
                   base::TimeMs before, std::int64_t most_bytes) {
    (void)drop_old(store, rows, 1, before);
    if (rows.size() > limits::checkpoints) {
        const auto rest = rows.begin() + limits::checkpoints;
        drop(store, rest, rows.end(), "it was replaced by later ones");
        rows.erase(rest, rows.end());
    }
    std::int64_t bytes = swept(kept, rows);
    while (bytes > most_bytes && rows.size() > 1) {
        const auto rest = rows.begin() + static_cast<std::ptrdiff_t>((rows.size() + 1) / 2);
        drop(store, rest, rows.end(), "it was removed to make room for later ones");
        rows.erase(rest, rows.end());
        bytes = swept(kept, rows);
    }
    return bytes;
}

bool is_due(const Rows& rows, base::TimeMs before, std::int64_t most_bytes) {
    return rows.size() > 1 &&
           (rows.size() > limits::checkpoints + slack || rows.back().made_at < before ||
            rows.front().store_bytes > most_bytes);
}

void insert(store::Store& store, store::Checkpoint& row) {
    store::Transaction transaction(store);
    store::insert_checkpoint(store, row);
    transaction.commit();
}

sys::Lock locked(const CheckpointSite& site) {
    auto lock = sys::Lock::acquire(site.home.checkpoint_lock(site.agent.id),
                                   sys::Lock::Mode::exclusive, -1, site.stop);
    if (!lock) throw base::Error(base::ErrorCode::canceled, "the turn is being ended");
    return std::move(*lock);
}

// The caller holds the lock.
void keep(const CheckpointSite& site, const sys::Root& root, const sys::Fingerprint& now,
          store::Checkpoint& row) {
    const agent::Checkpoints checkpoints(site.directory.checkpoints());
    Rows rows = store::kept_checkpoints(site.store, site.agent.id);
    const store::Checkpoint previous = rows.empty() ? store::Checkpoint{} : rows.front();
    const auto kept = checkpoints.keep(root, now, previous.tree, {site.most_bytes, site.stop});
    if (row.of_rewind && kept.no_room)
        throw base::Error(base::ErrorCode::failed,
                          "workspace: the disk of the home has no room for a checkpoint of the "
                          "present files; nothing was changed",
                          "free some space and run it again");
    row.tree = kept.tree;
    row.store_bytes = previous.store_bytes + kept.new_bytes;
    const std::int64_t most = site.most_bytes * limits::checkpoint_stores;
    const base::TimeMs before = row.made_at - limits::checkpoint_age_ms;
    rows.insert(rows.begin(), row);
    if (is_due(rows, before, most))
        row.store_bytes = prune(site.store, checkpoints, std::move(rows), before, most);
    if (kept.is_news && !kept.left_out.empty() && site.warn) site.warn(told_left_out(kept));
}

}  // namespace

store::Checkpoint keep_checkpoint(const CheckpointSite& site, const sys::Root& root,
                                  const sys::Fingerprint& now, store::TurnId turn, bool of_rewind) {
    store::Checkpoint row{.agent_id = site.agent.id,
                          .turn_id = turn,
                          .of_rewind = of_rewind,
                          .made_at = sys::now_ms()};
    const sys::Lock lock = locked(site);
    keep(site, root, now, row);
    insert(site.store, row);
    return row;
}

void note_no_checkpoint(const CheckpointSite& site, store::TurnId turn,
                        const std::string& problem) {
    store::Checkpoint row{
        .agent_id = site.agent.id, .turn_id = turn, .made_at = sys::now_ms(), .problem = problem};
    insert(site.store, row);
}

void note_end(const CheckpointSite& site, const sys::Root& root,
              const std::vector<std::string>& kept) {
    const sys::Lock lock = locked(site);
    const auto newest = store::newest_checkpoint(site.store, site.agent.id);
    const agent::Checkpoints checkpoints(site.directory.checkpoints());
    sys::Fingerprint files = sys::Fingerprint::of_files(root);
    if (!kept.empty()) {
        const std::set<std::string> others(kept.begin(), kept.end());
        auto entries = std::move(files).take_entries();
        std::erase_if(entries, [&](const auto& one) { return others.contains(one.path); });
        if (const auto end = checkpoints.find_end())
            std::copy_if(end->files.entries().begin(), end->files.entries().end(),
                         std::back_inserter(entries),
                         [&](const auto& one) { return others.contains(one.path); });
        std::sort(entries.begin(), entries.end(),
                  [](const auto& one, const auto& other) { return one.path < other.path; });
        files = sys::Fingerprint(std::move(entries));
    }
    checkpoints.note_end({newest ? newest->id : 0, std::move(files)});
}

std::int64_t remove_checkpoints(const agent::Home& home, store::Store& store,
                                const store::Agent& agent, base::TimeMs before, bool dry_run) {
    const agent::Directory directory = home.directory(agent.dir);
    const sys::Lock lock = locked({home, store, agent, directory});
    Rows rows = store::kept_checkpoints(store, agent.id);
    if (dry_run)
        return std::count_if(rows.begin(), rows.end(),
                             [&](const store::Checkpoint& row) { return row.made_at < before; });
    const std::int64_t count = drop_old(store, rows, 0, before);
    if (count > 0) (void)swept(agent::Checkpoints(directory.checkpoints()), rows);
    return count;
}

}  // namespace chorus::life
