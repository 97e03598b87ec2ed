#include "context/find_thread.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace chorus::context {

std::vector<store::Thread> branch_threads(store::Store& store, const store::Agent& agent) {
    std::vector<store::Thread> threads = store::list_threads(store, agent.id);
    std::erase_if(threads,
                  [](const store::Thread& thread) { return !store::has_own_branch(thread); });
    return threads;
}

std::optional<store::Thread> find_branch(store::Store& store, const store::Agent& agent,
                                         std::string_view name) {
    if (auto exact = store::find_thread_of_branch(store, agent.id, name)) return exact;
    std::vector<store::Thread> found = branch_threads(store, agent);
    std::erase_if(found, [&](const store::Thread& thread) {
        return store::given_name(thread.branch) != name;
    });
    if (found.empty()) return std::nullopt;
    if (found.size() == 1) return std::move(found.front());
    std::vector<std::string> names;
    for (const store::Thread& thread : found) names.push_back(thread.branch);
    throw base::Error(base::ErrorCode::bad_request,
                      "branch " + base::quoted(name) + ": " + std::to_string(found.size()) +
                          " branches have that name: " + base::quoted_list(names),
                      "name one of them in full");
}

store::Thread require_thread(store::Store& store, const store::Agent& agent,
                             const agent::Directory& directory, const std::string& wanted) {
    if (wanted == "main") return *store::find_thread(store, agent.id, 1);
    const std::string branch = wanted.empty() ? current_branch(directory) : wanted;
    const auto number = base::parse_number<store::ThreadId>(wanted);
    std::optional<store::Thread> found;
    if (!number)
        found = find_branch(store, agent, branch);
    else if (!store::is_ephemeral(*number))
        found = store::find_thread(store, agent.id, *number);
    if (found) return *found;
    if (wanted.empty())
        throw base::Error(base::ErrorCode::not_found,
                          "agent '" + agent.name + "': its current branch, " +
                              base::quoted(branch) + ", has no thread",
                          "chorus-context switch " + agent.name + " main");
    throw base::Error(base::ErrorCode::not_found,
                      "agent '" + agent.name + "': no thread " + base::quoted(branch),
                      "chorus-tasks threads " + agent.name + " lists its threads");
}

}  // namespace chorus::context
