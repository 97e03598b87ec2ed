#include <unistd.h>

#include <iostream>
#include <memory>

#include "agent/channel.hpp"
#include "agent/configuration.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "channel/posting.hpp"
#include "chat/dialect.hpp"
#include "cli/main.hpp"
#include "context/import.hpp"
#include "life/birth.hpp"
#include "life/deciders.hpp"
#include "life/find_agent.hpp"
#include "life/here.hpp"
#include "life/opening.hpp"
#include "life/reserve.hpp"
#include "model/choice.hpp"
#include "place/in_force.hpp"
#include "place/secrets.hpp"
#include "sys/environment.hpp"
#include "sys/fd.hpp"
#include "sys/named_file.hpp"

namespace {

using namespace chorus;
using base::Error;
using base::ErrorCode;
using base::ExitStatus;

struct Options {
    std::string adopted;  // the word after NAME
    life::BirthOptions birth;
    std::string system_prompt_file;
    std::string permissions;
    bool here = false;
    std::string groom;
    bool no_validate_model = false;
    bool json = false;
};

std::string read_text(const std::string& path, const char* what) {
    std::string text = sys::read_input_file(path, base::limits::prompt_bytes);
    if (const auto bad = base::find_invalid_utf8(text))
        throw Error(ErrorCode::bad_request, std::string(what) + ": " + sys::input_name(path) +
                                                ": not valid UTF-8 at byte " +
                                                std::to_string(*bad));
    return text;
}

// Names the option in the error, before anything is made.
void check_channel(const std::string& given) {
    const std::string problem = agent::channel_problem(given);
    if (!problem.empty())
        throw Error(ErrorCode::bad_request, "--channel: " + problem, agent::channel_hint);
}

std::vector<std::string> keys_of(const std::vector<agent::TrustChange>& changes) {
    std::vector<std::string> keys;
    for (const agent::TrustChange& change : changes) keys.push_back(change.key);
    return keys;
}

void print_json(const life::Birth& birth, const agent::Home& home) {
    chat::JsonText out = chat::open_object("agent");
    write_text(out, "agent", birth.agent.name);
    out.key("generation").number(birth.agent.generation);
    out.key("directory").string(home.path() + "/" + birth.agent.dir);
    write_text(out, "works_in", birth.agent.place);
    write_text(out, "model", birth.agent.model);
    write_text(out, "permissions", birth.agent.permissions);
    write_time(out, "created_at", birth.agent.created_at);
    out.key("adopted").boolean(birth.adopted).key("existed").boolean(birth.existed);
    out.key("sessions").number(static_cast<std::int64_t>(birth.sessions));
    out.key("messages").number(static_cast<std::int64_t>(birth.messages));
    write_texts(out, "set_aside", keys_of(birth.set_aside));
    out.key("trusted").begin_object();
    for (const agent::TrustChange& change : birth.trusted)
        write_json(out, change.key, change.after);
    out.end_object();
    write_texts(out, "unchanged", birth.unchanged);
    write_texts(out, "left_out", birth.left_out);
    write_texts(out, "plants", birth.plants);
    std::cout << out.end_object().text() << '\n';
}

void print_text(const life::Birth& birth, const agent::Home& home, bool with_submodules) {
    if (birth.existed) {
        std::cout << "Agent " << birth.agent.name << " exists already.\n";
        if (!birth.moved_from.empty())
            std::cout << "Works in: " << base::visible(birth.agent.place)
                      << " (before: " << base::visible(birth.moved_from) << ")\n";
        for (const std::string& option : birth.unchanged)
            cli::print_line("chorus-init", "notice", "not changed: " + option);
        return;
    }
    std::cout << base::visible(life::announcement(birth));
    const auto notice = [](const std::string& what) {
        cli::print_line("chorus-init", "notice", what);
    };
    for (const agent::TrustChange& change : birth.trusted)
        notice("trusted: " + change.key + ": " + (change.after.empty() ? "not set" : change.after));
    if (!birth.set_aside.empty())
        notice("agent.json: not in force, no person of this home set it: " +
               base::quoted_list(keys_of(birth.set_aside)) + "; chorus-config trust " +
               birth.agent.name + " shows them and puts them in force");
    for (const std::string& name : birth.left_out)
        notice(name.ends_with('/') && !birth.adopted
                   ? "submodule not fetched: " + name +
                         (with_submodules ? ": its address is on this machine, or missing"
                                          : " (--submodules fetches it)")
                   : "not taken: " + name);
    for (const std::string& plant : birth.plants) notice("in its workspace: " + plant);
    if (const std::string place = agent::foreign_place(home); !place.empty()) notice(place);
    if (birth.messages > 0)
        std::cout << birth.messages << (birth.messages == 1 ? " message" : " messages")
                  << " of its conversation imported.\n";
    std::cout << "Directory: " << base::visible(home.path() + "/" + birth.agent.dir) << '\n';
    if (!birth.agent.place.empty())
        std::cout << "Works in: " << base::visible(birth.agent.place) << '\n';
    std::cout << "Next: chorus-run " << (birth.agent.place.empty() ? birth.agent.name : ".")
              << " 'PROMPT'\n";
}

void tell_channel(const life::Birth& birth, const agent::Home& home, store::Store& store,
                  const sys::Environment& environment) {
    channel::post_to_channel(
        {.home = home,
         .environment = environment,
         .store = store,
         .agent = birth.agent,
         .warn = [](const std::string& what) { cli::print_line("chorus-init", "notice", what); },
         .actor = place::actor_text("", environment)},
        {base::visible(life::welcome(birth))});
}

// Sets the place and, if no name is given, the name: that of the agent there, or a free one.
void settle_here(life::BirthOptions& birth, const life::Here& here, const agent::Home& home,
                 store::Store& store) {
    birth.place = here.root;
    const auto present = store::find_agent_of_place(store, here.root);
    if (present && (birth.name.empty() ? !birth.exist_ok : birth.name != present->name))
        throw Error(ErrorCode::exists, here.root + ": agent '" + present->name + "' works there",
                    "chorus-run . 'PROMPT' runs a turn of it");
    if (!birth.name.empty()) return;
    birth.name = present ? present->name : life::name_for(home, store, here);
}

ExitStatus run(Options& options) {
    const sys::Environment environment = model::take_environment();
    const agent::Home home = agent::find_home(environment);
    if (options.birth.name == ".")
        throw Error(ErrorCode::bad_request, "'.' is not an agent name",
                    "chorus-init --here makes the agent of this directory");
    if (options.birth.name.empty() && !options.here)
        throw Error(ErrorCode::bad_request, "usage: NAME is missing",
                    "see chorus-init --help; --here uses the name of this directory");
    if (!options.system_prompt_file.empty())
        options.birth.system_prompt = read_text(options.system_prompt_file, "--system-prompt-file");
    if (!options.adopted.empty() && !options.birth.adopt->empty())
        throw Error(ErrorCode::bad_request, "--adopt: given twice",
                    "chorus-init " + options.birth.name + " --adopt DIR|TAR");
    if (!options.adopted.empty()) options.birth.adopt = options.adopted;
    if (options.birth.system_prompt && base::trim(*options.birth.system_prompt).empty())
        throw Error(ErrorCode::bad_request, "--system-prompt: is empty");
    if (!options.permissions.empty())
        options.birth.permissions =
            agent::named_permissions(options.permissions, "--permissions").json;
    options.birth.validate_model = !options.no_validate_model;
    options.birth.bring_conversation = context::bring_packed;
    const policy::Redaction secrets = place::secrets_of(home, environment);
    options.birth.decider = {static_cast<std::int64_t>(getuid()),
                             place::actor_text("", environment), secrets};
    if (options.birth.channel) check_channel(*options.birth.channel);
    if (secrets.holds_active(options.birth.name))
        throw Error(ErrorCode::bad_request, "agent name: it holds a key");
    for (auto* text : {&options.birth.system_prompt, &options.birth.description})
        if (*text) *text = secrets.apply(**text);

    std::optional<life::Here> here;
    if (options.here) here = life::find_here(home, environment, "--here");
    store::Store store = life::open_home(home, environment, agent::IfMissing::create,
                                         agent::groom_in_force(options.groom, environment),
                                         options.birth.adopt == "" ? options.birth.name : "");
    life::refuse_from_inside(store, environment);
    if (here) settle_here(options.birth, *here, home, store);
    const life::Birth birth = life::give_birth(home, store, environment, options.birth);
    life::keep_reserve(home);
    if (birth.adopted)
        context::remove_packed(agent::Directory(home.path() + "/" + birth.agent.dir));
    if (options.json)
        print_json(birth, home);
    else
        print_text(birth, home, options.birth.submodules);
    std::cout.flush();
    if (!birth.existed && !birth.agent.channel_id.empty())
        tell_channel(birth, home, store, environment);
    return ExitStatus::done;
}

void add_options(cli::Command& app, Options& options) {
    life::BirthOptions& birth = options.birth;
    app.word("NAME", birth.name, "the agent's name (default with --here: the directory's)");
    app.flag("--here", options.here, "work in this directory, or the repository around it");
    app.option("--system-prompt", birth.system_prompt, "the agent's instructions");
    app.option("--system-prompt-file FILE", options.system_prompt_file,
               "read the instructions from FILE");
    app.option("-m,--model MODEL", birth.model, "model, as provider/name");
    app.option("--permissions PROFILE|@FILE", options.permissions,
               "permission profile, by name or from FILE");
    app.option("--description", birth.description, "one line on what the agent is for")
        .may_be_empty();
    app.option("--channel CHANNEL", birth.channel,
               "where to post answers: webhook:URL or command:SHELL");
    app.option("--template DIR", birth.template_directory, "copy the new agent from DIR");
    app.option("--clone PATH|URL|HOST:PATH", birth.clone, "clone this repository as the workspace");
    app.flag("--submodules", birth.submodules, "clone its submodules too").needs("--clone");
    app.word("DIR|TAR", options.adopted, "what --adopt adopts").needs("--adopt");
    app.option("--adopt[=DIR|TAR]", birth.adopt,
               "adopt the agent's directory in place, or DIR|TAR");
    app.flag("--trust", birth.trust, "trust the settings of the template or adopted agent");
    app.flag("--exist-ok", birth.exist_ok, "succeed if the agent exists already");
    app.flag("--no-validate-model", options.no_validate_model, "accept a model that is not listed");
    app.option("--groom HOW", options.groom,
               "automatic setup and migration: auto, manual or pristine")
        .one_of(agent::groom_names());
    app.flag("--json", options.json, "print one JSON object");
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    return cli::run_main(
        argc, argv,
        {.name = "chorus-init",
         .description = "Make an agent: its directory, its git workspace and its database rows.",
         .options =
             [&options](cli::Command& app) {
                 add_options(app, options);
                 return [&options] { return run(options); };
             },
         .redact = place::redacted});
}
