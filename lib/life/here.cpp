#include "life/here.hpp"

#include <filesystem>

#include "agent/home.hpp"
#include "base/text.hpp"
#include "life/find_agent.hpp"
#include "life/leftovers.hpp"
#include "life/named_path.hpp"
#include "life/opening.hpp"
#include "sys/file.hpp"

namespace chorus::life {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::size_t most_name_bytes = 40;  // leaves room for a number

// A repository that is the whole home directory does not count.
std::string root_around(const std::string& path, const std::string& home) {
    for (std::string at = path; at != "/" && at != home;
         at = std::filesystem::path(at).parent_path())
        if (sys::exists(at + "/.git")) return at;
    return path;
}

bool is_taken(store::Store& store, const Here& here, const std::string& name) {
    return store::find_agent_of_place(store, here.root) || store::find_agent(store, name);
}

// A destroyed agent whose files were kept returns to its place.
bool is_free(const agent::Home& home, store::Store& store, const Here& here,
             const std::string& name) {
    if (store::find_agent(store, name)) return false;
    if (!sys::exists(home.agent(name))) return true;
    const auto before = store::find_destroyed_agent(store, name);
    return before && before->files_kept && before->place == here.root;
}

}  // namespace

Here find_here(const agent::Home& home, const sys::Environment& environment,
               const std::string& what) {
    const std::string path = sys::real_path(".");
    const std::string root = root_around(path, user_home(environment));
    check_place(home, environment, what, path);
    check_place(home, environment, what, root);
    refuse_shared(root, what);
    return {root, path == root ? "" : path.substr(root.size() + 1)};
}

store::Agent agent_here(store::Store& store, const Here& here) {
    if (auto agent = store::find_agent_of_place(store, here.root)) return std::move(*agent);
    throw Error(ErrorCode::not_found, "'.': no agent works in " + here.root,
                "create one with chorus-init --here or chorus-run . 'PROMPT'");
}

std::string name_here() {
    const auto environment = sys::Environment::of_process();
    const agent::Home home = agent::find_home(environment);
    const Here here = find_here(home, environment, "'.'");
    store::Store store = open_home(home, environment, agent::IfMissing::refuse,
                                   agent::groom_in_force("", environment));
    return agent_here(store, here).name;
}

std::string name_for(const agent::Home& home, store::Store& store, const Here& here) {
    std::string base =
        base::slug(std::filesystem::path(here.root).filename().string(), most_name_bytes);
    if (base.empty()) base = "here";
    std::string name = base;
    for (int number = 2; !is_free(home, store, here, name); ++number)
        name = base + "-" + std::to_string(number);
    return name;
}

Birth settle_here(const agent::Home& home, store::Store& store, const sys::Environment& environment,
                  const Here& here, BirthOptions options) {
    options.place = here.root;
    for (;;) {
        if (const auto agent = store::find_agent_of_place(store, here.root)) {
            if (agent->status == store::AgentStatus::creating) {
                // it is being created, or its chorus-init was killed
                (void)require_birth_lock(home);
                reclaim_leftovers(home, store);
                if (!store::find_agent_of_place(store, here.root)) continue;
            }
            Birth birth;
            birth.agent = require_agent(home, store, agent->name);
            birth.existed = true;
            return birth;
        }
        options.name = name_for(home, store, here);
        try {
            return give_birth(home, store, environment, options);
        } catch (const Error& error) {
            // another process has taken the directory or the name
            if (error.code() != ErrorCode::exists || !is_taken(store, here, options.name)) throw;
        }
    }
}

}  // namespace chorus::life
