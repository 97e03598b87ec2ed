#include "life/mending.hpp"

#include <algorithm>

#include "agent/configuration.hpp"
#include "agent/home.hpp"
#include "agent/trust_keys.hpp"
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
#include "sys/beneath.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"

namespace chorus::life {
namespace {

using agent::Directory;
using agent::Home;

constexpr std::string_view prompt_heading = "\nSystem prompt:\n";
constexpr std::string_view model_heading = ". Model: ";
constexpr std::size_t most_documents = 10'000;
constexpr std::string_view entry_mark = "\n<!-- message ";

struct Welcome {
    std::string model;
    std::string system_prompt;
};

// Reads them from the welcome message (life::welcome) in the agent's transcript; "" if it is gone.
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

// Rebuilds agent.json from the row, the trusted part and the transcript.
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
          const Decider& decider, Flaws& flaws)
        : home_(home), store_(store), environment_(environment), decider_(decider), flaws_(flaws) {}

    void run() {
        flaws_.attempt("", [&] {
            if (!sys::is_directory(home_.agents())) return;
            for (const std::string& name : sys::list_directory(home_.agents()))
                flaws_.attempt(of(name), [&] {
                    if (is_stray(name)) check_stray(name);
                });
        });
        for (const store::Agent& row : store::list_agents(store_))
            if (row.status == store::AgentStatus::active)
                flaws_.attempt(of(row.name), [&] { check_agent(row); });
    }

  private:
    static std::string of(const std::string& name) { return "agent '" + name + "': "; }

    bool is_stray(const std::string& name) {
        if (!base::is_agent_name(name) || !sys::is_directory(home_.agent(name)) ||
            store::find_agent(store_, name))
            return false;
        const auto before = store::find_destroyed_agent(store_, name);
        return !before || !before->files_kept;
    }

    // No check for agents being created: their row exists before the directory.
    void check_stray(const std::string& name) {
        const Directory directory(home_.agent(name));
        if (is_elsewhere(name, directory.path())) return;
        check_configuration(directory, name, nullptr);
        flaws_.mend(of(name) + "the database has no record of " + directory.path(), [&] {
            BirthOptions options;
            options.name = name;
            options.adopt = "";
            options.validate_model = false;
            options.decider = decider_;
            (void)give_birth(home_, store_, environment_, options);
            return "its conversation is in branches/main/session.md, its saved sessions can be "
                   "restored";
        });
    }

    // The target of a link may belong to anybody.
    bool is_elsewhere(const std::string& name, const std::string& path) {
        if (!sys::is_link(path)) return false;
        flaws_.add(of(name) + path +
                   " is a symbolic link; its target is neither checked nor repaired");
        return true;
    }

    void check_agent(const store::Agent& row) {
        if (home_.path() + "/" + row.dir != home_.agent(row.name))
            return flaws_.add(of(row.name) + "its row names " + base::quoted(row.dir) +
                              ", which is not an agent's directory");
        const Directory directory = home_.directory(row.dir);
        const auto lock =
            sys::Lock::try_acquire(home_.agent_lock(row.id), sys::Lock::Mode::exclusive);
        if (!lock)
            return flaws_.add(of(row.name) +
                              "it is at work and was not checked; run the command again later");
        if (is_elsewhere(row.name, directory.path())) return;
        if (const std::string problem = access_problem(directory.path()); !problem.empty())
            return flaws_.add(of(row.name) + problem);
        if (sys::exists(directory.path()) && !sys::is_directory(directory.path()))
            return flaws_.add(of(row.name) + directory.path() + " is not a directory");
        if (!sys::exists(directory.path()))
            flaws_.mend(of(row.name) + directory.path() + " is missing", [&] {
                sys::make_directory(directory.path(), 0700);
                return "an empty one was created; its conversation is in the database, but its "
                       "files and saved sessions are gone";
            });
        if (!sys::exists(directory.path())) return;
        if (store::has_unended_import(store_, row.id))
            flaws_.mend(of(row.name) + "an import into it was interrupted", [&] {
                store::discard_import(store_, row.id);
                return "its rows were removed";
            });
        for (const std::string& part :
             {directory.docs(), directory.sessions(), directory.branches(), directory.artifacts(),
              directory.commands(), directory.tasks(), directory.checkpoints()})
            flaws_.attempt(of(row.name), [&] {
                if (!is_elsewhere(row.name, part))
                    flaws_.check({part, Part::Kind::directory, part != directory.docs()});
            });
        flaws_.attempt(of(row.name), [&] { check_documents(directory); });
        flaws_.attempt(of(row.name), [&] { check_configuration(directory, row.name, &row); });
        if (!sys::is_link(directory.branches())) {
            flaws_.attempt(of(row.name), [&] { check_branches(directory, row); });
            flaws_.attempt(of(row.name), [&] { check_current(directory, row); });
        }
        flaws_.attempt(of(row.name), [&] { check_workspace(directory, row); });
    }

    void check_documents(const Directory& directory) {
        if (sys::is_link(directory.docs()) || !sys::is_directory(directory.docs())) return;
        std::string problem;
        for (const sys::Entry& entry :
             sys::Root(directory.docs()).walk("", most_documents, problem))
            if (entry.kind == sys::Kind::file)
                flaws_.check({.path = directory.docs() + "/" + entry.path, .use = sys::Use::read});
    }

    void check_configuration(const Directory& directory, const std::string& name,
                             const store::Agent* row) {
        const std::string path = directory.configuration();
        if (const std::string problem = access_problem(path, sys::Use::read); !problem.empty())
            return flaws_.add(of(name) + problem);
        std::string text;
        const std::string unreadable = problem_in([&] {
            text = agent::configuration_text(directory);
            (void)agent::trust_part(text);
        });
        if (!unreadable.empty())
            return flaws_.mend(of(name) + unreadable, [&] {
                const std::string again = configuration_again(home_, store_, directory, name, row);
                const std::string kept = sys::exists(path) ? set_aside(path) : "";
                sys::write_file(path, again);
                return "agent.json was rebuilt from the database, the transcript and the "
                       "template; " +
                       (kept.empty() ? "other keys come from the template"
                                     : "the old one was moved to " + kept);
            });
        const std::string wrong = problem_in([&] {
            const auto own = agent::parse_configuration(text, path);
            (void)agent::resolve_profile(own.permissions, agent::load_home_configuration(home_),
                                         path);
        });
        if (!wrong.empty()) flaws_.add(of(name) + wrong);
    }

    void check_branches(const Directory& directory, const store::Agent& row) {
        for (const store::Thread& thread : store::list_threads(store_, row.id)) {
            const std::string branch = directory.branch(thread.branch);
            flaws_.attempt(of(row.name), [&] {
                const std::string transcript =
                    directory.transcript(thread.branch, thread.id, store::has_own_branch(thread));
                if (!sys::is_link(transcript))
                    return flaws_.check({transcript, Part::Kind::file, true});
                flaws_.mend(of(row.name) + transcript + " is a symbolic link", [&] {
                    return "the next turn writes the transcript again" + kept(transcript);
                });
            });
            if (!store::has_own_branch(thread)) continue;
            flaws_.attempt(of(row.name), [&] {
                check_sub_agents(directory.branch_agents(thread.branch), row.name);
            });
            if (sys::is_directory(branch)) continue;
            flaws_.mend(of(row.name) + branch + " is missing", [&] {
                const std::string then = "the next turn writes its transcript again" + kept(branch);
                sys::make_directory(branch, 0700);
                return then;
            });
        }
    }

    // Only a person can say whether the preset.md of one is to be used.
    void check_sub_agents(const std::string& agents, const std::string& top) {
        if (sys::is_link(agents) || !sys::is_directory(agents)) return;
        for (const std::string& id : sys::list_directory(agents)) {
            const std::string path = agents + "/" + id;
            if (id.starts_with('.') || sys::is_link(path) || !sys::is_directory(path)) continue;
            const std::string dir = path.substr(home_.path().size() + 1);
            if (!store::find_child(store_, dir))
                flaws_.add(of(top) + path +
                           ": the database does not know this sub-agent; chorus-run " + top +
                           " --subagent " + path + " PROMPT enters it");
            check_sub_agents(home_.directory(dir).branch_agents("main"), top);
        }
    }

    void check_current(const Directory& directory, const store::Agent& row) {
        const std::string current = directory.current();
        const std::string led = sys::is_link(current) && sys::is_directory(current)
                                    ? sys::real_path(current)
                                    : std::string();
        const std::string branch = led.substr(led.rfind('/') + 1);
        if (!led.empty() && store::find_thread_of_branch(store_, row.id, branch)) return;
        flaws_.mend(of(row.name) + current + " does not point to a branch", [&] {
            const std::string then =
                "it points to main now" + (sys::is_link(current) ? std::string() : kept(current));
            sys::replace_link(current, "branches/main", directory.path() + "/.tmp-current");
            return then;
        });
    }

    void check_workspace(const Directory& directory, const store::Agent& row) {
        const std::string path = directory.workspace();
        if (is_elsewhere(row.name, path)) return;
        if (const std::string problem = access_problem(path); !problem.empty())
            return flaws_.add(of(row.name) + problem);
        const std::string git = path + "/.git";
        const bool has_git = sys::is_directory(path) && sys::exists(git);
        if (has_git && (!sys::is_directory(git) || sys::exists(git + "/HEAD"))) return;
        const bool is_gone = !sys::is_directory(path);
        if (!is_gone && !has_git && repo::confinement_problem(sys::real_path(path))) return;
        const char* what = is_gone   ? " is missing"
                           : has_git ? "/.git has no HEAD"
                                     : " is not a git repository";
        flaws_.mend(of(row.name) + path + what, [&] {
            const std::string then = is_gone ? "an empty one was created" + kept(path)
                                     : has_git
                                         ? "HEAD was created again"
                                         : "one was created from its files, without a history";
            sys::make_directory(path, 0700);
            (void)repo::Repository::initialise(sys::real_path(path),
                                               repo::author_of_agent(row.name));
            return then;
        });
    }

    // Renames what exists at the path; returns text that names the new path.
    static std::string kept(const std::string& path) {
        return sys::exists(path) ? "; the old one was moved to " + set_aside(path) : "";
    }

    const Home& home_;
    store::Store& store_;
    const sys::Environment& environment_;
    const Decider& decider_;
    Flaws& flaws_;
};

}  // namespace

void check_agent_directories(const Home& home, store::Store& store,
                             const sys::Environment& environment, const Decider& decider,
                             Flaws& flaws) {
    Check(home, store, environment, decider, flaws).run();
}

void check_home_parts(const Home& home, Flaws& flaws) {
    using Kind = Part::Kind;
    const std::vector<Part> parts{
        {home.path(), Kind::directory},
        {home.agents(), Kind::directory},
        {home.archive(), Kind::directory, true},
        {home.locks(), Kind::directory, true},
        {home.database() + "-wal", Kind::file},
        {home.database() + "-shm", Kind::file, true},
        {.path = home.config(), .use = sys::Use::read},
        {.path = home.credentials(), .use = sys::Use::read},
        {.path = home.models(), .use = sys::Use::read},
        {.path = home.available_models(), .is_made_again = true, .use = sys::Use::read}};
    for (const Part& part : parts) flaws.attempt("", [&] { flaws.check(part); });
    // an entry of the wrong kind counts as a damaged database
    if (const std::string problem = access_problem(home.database()); !problem.empty())
        flaws.add(problem);
    flaws.attempt("", [&] {
        if (!sys::is_directory(home.locks())) return;
        for (const std::string& name : sys::list_directory(home.locks()))
            if (name.find('.') == std::string::npos && name != "sandbox-test")
                flaws.check({home.locks() + "/" + name, Kind::file, true});
    });
}

bool check_home_configuration(const Home& home, Flaws& flaws) {
    const std::string problem = problem_in(
        [&] { agent::check_profiles(agent::load_home_configuration(home), home.config()); });
    if (!problem.empty())
        flaws.add(problem + "; repair it by hand, because it limits what agents may do");
    return problem.empty();
}

}  // namespace chorus::life
