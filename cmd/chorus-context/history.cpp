#include <algorithm>
#include <set>

#include "chorus-context/session.hpp"
#include "chorus-context/verbs.hpp"
#include "context/saved.hpp"
#include "store/believed.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"

namespace chorus::command {
namespace {

struct History : Printing {
    explicit History(cli::Command& verb) {
        verb.word("NAME", name, "the agent, also a destroyed one (default: all agents)");
        verb.option("-n,--limit N", limit, "at most N (default: 50)").from(1);
        verb.flag("--all", all, "include earlier agents of the same name");
    }

    std::vector<store::Agent> agents(const agent::Home& home, store::Store& store) const {
        if (name.empty()) return store::list_agents(store);
        const store::Agent known = life::require_known(home, store, name);
        if (all && known.kind == "agent") return store::list_generations(store, name);
        return {known};
    }

    // With --all a session is returned once: an adopted one has rows of several agents.
    std::vector<store::Session> sessions(const agent::Home& home, store::Store& store) const {
        std::vector<store::Session> found;
        std::set<std::string> ids;
        for (const store::Agent& agent : agents(home, store))
            for (store::Session& session : store::list_sessions(store, agent.id, limit))
                if (!all || name.empty() || ids.insert(session.id).second)
                    found.push_back(std::move(session));
        // as the store lists them: those of the future last
        const auto key = [now = sys::now_ms()](const store::Session& one) {
            return std::pair(store::is_believed(one.saved_at, now), one.saved_at);
        };
        std::stable_sort(found.begin(), found.end(),
                         [&](const auto& a, const auto& b) { return key(a) > key(b); });
        found.resize(std::min(found.size(), static_cast<std::size_t>(limit)));
        return found;
    }

    std::string text(const store::Session& session) const {
        std::string minute = base::iso8601(session.saved_at).substr(0, 16);
        minute[10] = ' ';
        std::string text = "[" + one_line(context::short_id(session.id)) + "] " + minute + " - " +
                           (name.empty() ? one_line(session.agent_name) + ": " : "") +
                           one_line(session.description) + " (" +
                           counted(session.message_count, "message") + ")";
        if (session.summary != session.description && !session.summary.empty())
            text += "\n  " + one_line(session.summary);
        return session.file_path.empty() ? text + "\n  its file is gone" : text;
    }

    void run(Opened& opened) const {
        for (store::Session& session : sessions(opened.home, opened.store)) {
            if (!sys::exists(opened.home.path() + "/" + session.file_path))
                session.file_path.clear();
            cli::print(json, "saved-session", fields_of(session), text(session));
        }
    }

    std::string name;
    std::int64_t limit = 50;
    bool all = false;
};

}  // namespace

const cli::Verb history_verb =
    verb<History>("history", "list saved sessions, newest first", json_lines);

}  // namespace chorus::command
