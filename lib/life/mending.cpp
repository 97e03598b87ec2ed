#include "life/mending.hpp"

#include <algorithm>
#include <functional>

#include "agent/configuration.hpp"
#include "agent/home.hpp"
#include "agent/trust.hpp"
#include "base/error.hpp"
#include "base/id.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "chat/json_text.hpp"
#include "life/birth.hpp"
#include "life/plan.hpp"
#include "life/trust.hpp"
#include "repo/repository.hpp"
#include "store/imports.hpp"
#include "store/threads.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"

namespace chorus::life {
namespace {

using agent::Directory;
using agent::Home;
using base::Error;

constexpr std::string_view prompt_heading = "\nSystem prompt:\n";
constexpr std::string_view model_heading = ". Model: ";
constexpr std::string_view entry_mark = "\n<!-- message ";

// Returns the message of the error that `work` throws, or "".
std::string problem_in(const std::function<void()>& work) {
    try {
        work();
        return {};
    } catch (const Error& error) {
        return error.message();
    }
}

// Nothing that is there is lost: the name says since when it is not used.
void set_aside(const std::string& path) {
    const std::string stamped = path + ".broken-" + base::compact_utc(sys::now_ms());
    std::string free = stamped;
    for (int more = 2; !sys::rename_if_free(path, free); ++more)
        free = stamped + "-" + std::to_string(more);
}

struct Welcome {
    std::string model;
    std::string system_prompt;
};

// As the agent's welcome message (life::welcome) has them in its transcript; "" where that is gone.
Welcome welcome_in_transcript(const Directory& directory) {
    std::string text;
    (void)problem_in([&] {
        text = sys::read_file_if_there(directory.transcript("main", 1, true),
                                       base::limits::session_bytes)
                   .value_or("");
    });
    const std::size_t heading = text.rfind(prompt_heading);
    if (heading == std::string::npos) return {};
    Welcome found;
    const std::size_t after = heading + prompt_heading.size();
    found.system_prompt = base::trim(text.substr(after, text.find(entry_mark, after) - after));
    const std::size_t model = text.rfind(model_heading, heading);
    if (model == std::string::npos) return found;
    const std::size_t name = model + model_heading.size();
    found.model =
        text.substr(name, std::min(text.find(" (from ", name), text.find(". ", name)) - name);
    return found;
}

// agent.json from the row, from what is trusted, and from the transcript.
std::string configuration_again(const Home& home, store::Store& store, const Directory& directory,
                                const std::string& name, const store::Agent* row) {
    const std::string from = agent::template_directory(home, "");
    std::map<std::string, std::string> members{{"name", chat::quoted(name)}};
    const Welcome welcome = welcome_in_transcript(directory);
    if (!welcome.system_prompt.empty())
        members["system_prompt"] = chat::quoted(welcome.system_prompt);
    if (!welcome.model.empty()) members["model"] = chat::quoted(welcome.model);
    if (row != nullptr) {
        if (!row->model.empty()) members["model"] = chat::quoted(row->model);
        members["description"] = chat::quoted(row->description);
        members["created_at"] = chat::quoted(base::iso8601(row->created_at));
    }
    const std::string text = agent::with_members(source_of_template(home, from).text, members);
    const std::string part = row != nullptr ? trusted_part(store, row->id) : "";
    return part.empty() ? text : agent::with_trust_part(text, part);
}

class Check {
  public:
    Check(const Home& home, store::Store& store, const sys::Environment& environment,
          const Decider& decider, bool fix)
        : home_(home), store_(store), environment_(environment), decider_(decider), fix_(fix) {}

    std::vector<Flaw> run() {
        for (const std::string& name : sys::is_directory(home_.agents())
                                           ? sys::list_directory(home_.agents())
                                           : std::vector<std::string>{})
            if (is_stray(name)) check_stray(name);
        for (const store::Agent& row : store::list_agents(store_))
            if (row.status == store::AgentStatus::active) check_agent(row);
        return std::move(flaws_);
    }

  private:
    bool is_stray(const std::string& name) {
        if (!base::is_agent_name(name) || !sys::is_directory(home_.agent(name)) ||
            store::find_agent(store_, name))
            return false;
        const auto before = store::find_destroyed_agent(store_, name);
        return !before || !before->files_kept;
    }

    // An agent that is being made has its row before its directory.
    void check_stray(const std::string& name) {
        const Directory directory(home_.agent(name));
        check_configuration(directory, name, nullptr);
        mend("agent '" + name + "': the database knows nothing of " + directory.path(),
             "its conversation is in branches/main/session.md, its saved sessions can be restored",
             [&] {
                 BirthOptions options;
                 options.name = name;
                 options.adopt = "";
                 options.validate_model = false;
                 options.decider = decider_;
                 (void)give_birth(home_, store_, environment_, options);
             });
    }

    void check_agent(const store::Agent& row) {
        const Directory directory(home_.path() + "/" + row.dir);
        const auto lock =
            sys::Lock::try_acquire(home_.agent_lock(row.id), sys::Lock::Mode::exclusive);
        if (!lock) return;
        if (sys::exists(directory.path()) && !sys::is_directory(directory.path()))
            return add("agent '" + row.name + "': " + directory.path() + " is no directory");
        if (!sys::exists(directory.path()))
            mend("agent '" + row.name + "': " + directory.path() + " is gone",
                 "its conversation is in the database, its files and saved sessions are lost",
                 [&] { sys::make_directory(directory.path(), 0700); });
        if (!sys::exists(directory.path())) return;
        if (store::has_unended_import(store_, row.id))
            mend("agent '" + row.name + "': an import into it was broken off",
                 "what it had written is removed", [&] { store::discard_import(store_, row.id); });
        check_configuration(directory, row.name, &row);
        check_branches(directory, row);
        check_current(directory, row);
        check_workspace(directory, row);
    }

    void check_configuration(const Directory& directory, const std::string& name,
                             const store::Agent* row) {
        const std::string path = directory.configuration();
        std::string text;
        const std::string unreadable = problem_in([&] {
            text = agent::configuration_text(directory);
            (void)agent::trust_part(text);
        });
        if (!unreadable.empty())
            return mend("agent '" + name + "': " + unreadable,
                        "agent.json is made again from what the database, the transcript and the "
                        "template say; other keys are lost",
                        [&] {
                            const std::string again =
                                configuration_again(home_, store_, directory, name, row);
                            if (sys::exists(path)) set_aside(path);
                            sys::write_file(path, again);
                        });
        const std::string wrong = problem_in([&] {
            const auto own = agent::parse_configuration(text, path);
            (void)agent::resolve_profile(own.permissions, agent::load_home_configuration(home_),
                                         path);
        });
        if (!wrong.empty()) add("agent '" + name + "': " + wrong);
    }

    void check_branches(const Directory& directory, const store::Agent& row) {
        for (const store::Thread& thread : store::list_threads(store_, row.id)) {
            const std::string branch = directory.branch(thread.branch);
            if (!store::has_own_branch(thread) || sys::is_directory(branch)) continue;
            mend("agent '" + row.name + "': " + branch + " is gone",
                 "the next turn writes its transcript again", [&] {
                     if (sys::exists(branch)) set_aside(branch);
                     sys::make_directory(branch, 0700);
                 });
        }
    }

    void check_current(const Directory& directory, const store::Agent& row) {
        const std::string current = directory.current();
        const std::string led = sys::is_link(current) && sys::is_directory(current)
                                    ? sys::real_path(current)
                                    : std::string();
        const std::string branch = led.substr(led.rfind('/') + 1);
        if (!led.empty() && store::find_thread_of_branch(store_, row.id, branch)) return;
        mend("agent '" + row.name + "': " + current + " names no branch", "it names main now", [&] {
            if (sys::exists(current) && !sys::is_link(current)) set_aside(current);
            sys::replace_link(current, "branches/main", directory.path() + "/.tmp-current");
        });
    }

    void check_workspace(const Directory& directory, const store::Agent& row) {
        const std::string path = directory.workspace();
        if (sys::is_directory(path) && sys::exists(path + "/.git")) return;
        if (sys::is_link(path) && !sys::is_directory(path))
            return add("agent '" + row.name + "': " + path + " is a link that leads nowhere");
        const bool is_gone = !sys::is_directory(path);
        mend("agent '" + row.name + "': " + path + (is_gone ? " is gone" : " is no git repository"),
             is_gone ? "an empty one is made; what was in it is lost"
                     : "one is made of what is there; its history is lost",
             [&] {
                 if (is_gone && sys::exists(path)) set_aside(path);
                 sys::make_directory(path, 0700);
                 (void)repo::Repository::initialise(sys::real_path(path),
                                                    {row.name, row.name + "@chorus.local"});
             });
    }

    void add(std::string what) { flaws_.push_back({std::move(what), false}); }
    void mend(const std::string& what, const std::string& then, const std::function<void()>& work) {
        if (!fix_) return add(what);
        const std::string problem = problem_in(work);
        flaws_.push_back({what + "; " + (problem.empty() ? then : problem), problem.empty()});
    }

    const Home& home_;
    store::Store& store_;
    const sys::Environment& environment_;
    const Decider& decider_;
    bool fix_;
    std::vector<Flaw> flaws_;
};

}  // namespace

std::vector<Flaw> check_agent_directories(const Home& home, store::Store& store,
                                          const sys::Environment& environment,
                                          const Decider& decider, bool fix) {
    return Check(home, store, environment, decider, fix).run();
}

std::vector<Flaw> check_home_configuration(const Home& home) {
    const std::string problem = problem_in(
        [&] { agent::check_profiles(agent::load_home_configuration(home), home.config()); });
    if (problem.empty()) return {};
    return {{problem + "; only a person can mend it, as it limits what agents may do", false}};
}

}  // namespace chorus::life
