#include <algorithm>
#include <climits>
#include <iostream>
#include <memory>
#include <set>

#include "chorus-context/session.hpp"
#include "context/saved.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    std::string agent;
    std::int64_t limit = 50;
    bool all = false;
    bool json = false;
};

void sort_and_cut(std::vector<store::Session>& sessions, std::int64_t limit) {
    std::stable_sort(sessions.begin(), sessions.end(),
                     [](const auto& a, const auto& b) { return a.saved_at > b.saved_at; });
    sessions.resize(std::min(sessions.size(), static_cast<std::size_t>(limit)));
}

// Lists a session once: an adopted one has rows of several agents.
std::vector<store::Session> sessions_of_all(store::Store& store, const Options& options) {
    std::vector<store::Session> all;
    std::set<std::string> ids;
    for (const store::Agent& agent : store::list_generations(store, options.agent))
        for (store::Session& session : store::list_sessions(store, agent.id, options.limit))
            if (ids.insert(session.id).second) all.push_back(std::move(session));
    sort_and_cut(all, options.limit);
    return all;
}

std::vector<store::Session> sessions_of(store::Store& store, const Options& options) {
    if (!options.agent.empty()) {
        (void)life::require_known(store, options.agent);
        if (options.all) return sessions_of_all(store, options);
        const auto agent = store::find_agent(store, options.agent);
        return store::list_sessions(
            store, (agent ? agent : store::find_destroyed_agent(store, options.agent))->id,
            options.limit);
    }
    std::vector<store::Session> all;
    for (const store::Agent& agent : store::list_agents(store))
        for (store::Session& session : store::list_sessions(store, agent.id, options.limit))
            all.push_back(std::move(session));
    sort_and_cut(all, options.limit);
    return all;
}

void print(const store::Session& session, bool names_agent) {
    std::cout << '[' << one_line(context::short_id(session.id)) << "] " << minute(session.saved_at)
              << " - " << (names_agent ? one_line(session.agent_name) + ": " : "")
              << one_line(session.description) << " (" << counted(session.message_count, "message")
              << ")\n";
    if (session.summary != session.description && !session.summary.empty())
        std::cout << "  " << one_line(session.summary) << '\n';
    if (session.file_path.empty()) std::cout << "  its file is gone\n";
}

base::ExitStatus run(const Options& options, Opened& opened) {
    for (const store::Session& session : sessions_of(*opened.store, options)) {
        if (options.json)
            print_json(session);
        else
            print(session, options.agent.empty());
    }
    return base::ExitStatus::done;
}

}  // namespace

Action add_history(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->agent, "the agent, also a destroyed one (default: all agents)");
    verb.option("-n,--limit N", options->limit, "at most N (default: 50)").from(1);
    verb.flag("--all", options->all, "include earlier agents of the same name");
    verb.flag("--json", options->json, "print one JSON object per line");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
