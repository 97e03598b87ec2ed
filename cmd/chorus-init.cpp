#include <iostream>

#include "agent/channel.hpp"
#include "agent/configuration.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "channel/posting.hpp"
#include "command/verb.hpp"
#include "context/import.hpp"
#include "life/birth.hpp"
#include "life/deciders.hpp"
#include "life/here.hpp"
#include "life/opening.hpp"
#include "life/reserve.hpp"
#include "place/in_force.hpp"
#include "place/secrets.hpp"
#include "place/spawning.hpp"
#include "sys/fd.hpp"
#include "sys/named_file.hpp"

namespace chorus::command {
namespace {

std::string read_prompt(const std::string& path) {
    std::string text = sys::read_input_file(path, base::limits::prompt_bytes);
    if (const auto bad = base::find_invalid_utf8(text))
        throw Error(ErrorCode::bad_request, "--system-prompt-file: " + sys::input_name(path) +
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

Fields fields_of(const life::Birth& birth, const life::AdoptedChildren& children,
                 const agent::Home& home) {
    Fields trusted;
    for (const agent::TrustChange& change : birth.trusted)
        trusted.push_back({change.key, cli::Json{change.after}});
    return {{"agent", birth.agent.name},
            {"generation", birth.agent.generation},
            {"directory", home.path() + "/" + birth.agent.dir},
            {"works_in", birth.agent.place},
            {"model", birth.agent.model},
            {"permissions", birth.agent.permissions},
            {"created_at", Time{birth.agent.created_at}},
            {"adopted", birth.adopted},
            {"existed", birth.existed},
            {"sessions", birth.sessions},
            {"messages", birth.messages},
            {"sub_agents", children.ids},
            {"set_aside", keys_of(birth.set_aside)},
            {"trusted", trusted},
            {"unchanged", birth.unchanged},
            {"left_out", birth.left_out},
            {"plants", birth.plants}};
}

void print_text(const life::Birth& birth, const life::AdoptedChildren& children,
                const agent::Home& home, bool with_submodules) {
    if (birth.existed) {
        std::cout << "Agent " << birth.agent.name << " exists already.\n";
        if (!birth.moved_from.empty())
            std::cout << "Works in: " << base::visible(birth.agent.place)
                      << " (before: " << base::visible(birth.moved_from) << ")\n";
        for (const std::string& option : birth.unchanged) notice("not changed: " + option);
        return;
    }
    std::cout << base::visible(life::announcement(birth));
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
        std::cout << counted(birth.messages, "message") << " of its conversation imported.\n";
    if (!children.ids.empty())
        std::cout << counted(children.ids.size(), "sub-agent") << " adopted.\n";
    for (const std::string& problem : children.problems) notice(problem);
    std::cout << "Directory: " << base::visible(home.path() + "/" + birth.agent.dir) << '\n';
    if (!birth.agent.place.empty())
        std::cout << "Works in: " << base::visible(birth.agent.place) << '\n';
    std::cout << "Next: chorus-run " << (birth.agent.place.empty() ? birth.agent.name : ".")
              << " 'PROMPT'\n";
}

void tell_channel(const life::Birth& birth, const agent::Home& home, store::Store& store,
                  const sys::Environment& environment) {
    channel::post_to_channel({.home = home,
                              .environment = environment,
                              .store = store,
                              .agent = birth.agent,
                              .warn = notice,
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

struct Init : Printing {
    explicit Init(cli::Command& app) {
        app.word("NAME", birth.name, "the agent's name (default with --here: the directory's)");
        app.flag("--here", here, "work in this directory, or the repository around it");
        app.option("--system-prompt", birth.system_prompt, "the agent's instructions");
        app.option("--system-prompt-file FILE", system_prompt_file,
                   "read the instructions from FILE");
        app.option("-m,--model MODEL", birth.model, "model, as provider/name");
        app.option("--permissions PROFILE|@FILE", permissions,
                   "permission profile, by name or from FILE");
        app.option("--description", birth.description, "one line on what the agent is for")
            .may_be_empty();
        app.option("--channel CHANNEL", birth.channel,
                   "where to post answers: webhook:URL or command:SHELL");
        app.option("--template DIR", birth.template_directory, "copy the new agent from DIR");
        app.option("--clone PATH|URL|HOST:PATH", birth.clone,
                   "clone this repository as the workspace");
        app.flag("--submodules", birth.submodules, "clone its submodules too").needs("--clone");
        app.word("DIR|TAR", adopted, "what --adopt adopts").needs("--adopt");
        app.option("--adopt[=DIR|TAR]", birth.adopt,
                   "adopt the agent's directory in place, or DIR|TAR");
        app.flag("--trust", birth.trust, "trust the settings of the template or adopted agent");
        app.flag("--exist-ok", birth.exist_ok, "succeed if the agent exists already");
        app.flag("--no-validate-model", no_validate_model, "accept a model that is not listed");
        app.option("--groom HOW", groom, "automatic setup and migration: auto, manual or pristine")
            .one_of(agent::groom_names());
    }

    void run(Begun& begun) {
        const auto& [environment, home] = begun;
        if (birth.name == ".")
            throw Error(ErrorCode::bad_request, "'.' is not an agent name",
                        "chorus-init --here makes the agent of this directory");
        if (birth.name.empty() && !here)
            throw Error(ErrorCode::bad_request, "usage: NAME is missing",
                        "see chorus-init --help; --here uses the name of this directory");
        if (!system_prompt_file.empty()) birth.system_prompt = read_prompt(system_prompt_file);
        if (!adopted.empty() && !birth.adopt->empty())
            throw Error(ErrorCode::bad_request, "--adopt: given twice",
                        "chorus-init " + birth.name + " --adopt DIR|TAR");
        if (!adopted.empty()) birth.adopt = adopted;
        if (birth.system_prompt && base::trim(*birth.system_prompt).empty())
            throw Error(ErrorCode::bad_request, "--system-prompt: is empty");
        if (!permissions.empty())
            birth.permissions = agent::named_permissions(permissions, "--permissions").json;
        birth.validate_model = !no_validate_model;
        birth.bring_conversation = context::bring_packed;
        const policy::Redaction secrets = place::secrets_of(home, environment);
        birth.decider = {place::actor_text("", environment), secrets};
        if (birth.channel) check_channel(*birth.channel);
        if (secrets.holds_active(birth.name))
            throw Error(ErrorCode::bad_request, "agent name: it holds a key");
        for (auto* text : {&birth.system_prompt, &birth.description})
            if (*text) *text = secrets.apply(**text);

        std::optional<life::Here> found;
        if (here) found = life::find_here(home, environment, "--here");
        store::Store store = life::open_home(home, environment, agent::IfMissing::create,
                                             agent::groom_in_force(groom, environment),
                                             birth.adopt == "" ? birth.name : "");
        life::refuse_from_inside(store, environment);
        if (found) settle_here(birth, *found, home, store);
        const life::Birth made = life::give_birth(home, store, environment, birth);
        life::keep_reserve(home);
        life::AdoptedChildren children;
        if (made.adopted) {
            context::remove_packed(begun.home.directory(made.agent.dir));
            children = place::adopt_sub_agents(store, made.agent, home, environment, birth.trust);
        }
        if (json)
            std::cout << cli::json("agent", fields_of(made, children, home)) << '\n';
        else
            print_text(made, children, home, birth.submodules);
        std::cout.flush();
        if (!made.existed && !made.agent.channel_id.empty())
            tell_channel(made, home, store, environment);
    }

    std::string adopted;  // the word after NAME
    life::BirthOptions birth;
    std::string system_prompt_file;
    std::string permissions;
    bool here = false;
    std::string groom;
    bool no_validate_model = false;
};

}  // namespace
}  // namespace chorus::command

int main(int argc, char** argv) {
    using namespace chorus;
    return cli::run_main(
        argc, argv,
        {.name = "chorus-init",
         .description = "Make an agent: its directory, its git workspace and its database rows.",
         .options = command::options_of<command::Init>(command::json_object),
         .redact = place::redacted});
}
