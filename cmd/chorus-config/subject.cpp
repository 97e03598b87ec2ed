#include "chorus-config/subject.hpp"

#include "base/limits.hpp"
#include "base/text.hpp"
#include "channel/audit_sink.hpp"
#include "place/in_force.hpp"
#include "place/secrets.hpp"
#include "sys/file.hpp"

namespace chorus::command {
namespace {

void read_text(Subject& subject) {
    if (subject.agent)
        subject.text = agent::configuration_text(subject.home.directory(subject.agent->dir));
    else
        subject.text = agent::configuration_text(subject.home);
}

void find_file(Subject& subject, const std::string& agent) {
    subject.path = subject.home.config();
    if (!agent.empty()) {
        subject.agent = life::require_agent(subject.home, *subject.store, agent);
        const agent::Directory directory = subject.home.directory(subject.agent->dir);
        subject.path = directory.configuration();
        if (directory.is_of_sub_agent())
            throw Error(ErrorCode::bad_request,
                        "agent '" + subject.agent->name + "': a sub-agent has no agent.json",
                        "its settings are in " + subject.path);
    }
    read_text(subject);
}

}  // namespace

void OfFile::add_agent(cli::Command& verb) {
    verb.option("-A,--agent NAME", agent, "use this agent's agent.json instead of config.json");
}

OfKey::OfKey(cli::Command& verb) {
    verb.word("KEY", key, "the key; dots separate nested keys").required();
    add_agent(verb);
}

Subject open_to_read(const Begun& begun, const std::string& agent) {
    Subject subject{.home = begun.home, .path = {}, .text = {}};
    if (!agent.empty())
        subject.store = open_store(begun);
    else if (sys::exists(subject.home.path()))
        agent::open_home(subject.home, begun.environment, agent::IfMissing::refuse);
    find_file(subject, agent);
    return subject;
}

Subject open_to_change(const Begun& begun, const std::string& agent) {
    Subject subject{.home = begun.home, .path = {}, .text = {}};
    subject.store =
        open_store(begun, agent.empty() ? agent::IfMissing::create : agent::IfMissing::refuse);
    life::refuse_from_inside(*subject.store, begun.environment);
    find_file(subject, agent);
    return subject;
}

void lock(Subject& subject) {
    const std::string path = subject.agent ? subject.home.configuration_lock(subject.agent->id)
                                           : subject.home.configuration_lock();
    subject.lock = sys::Lock::acquire(path, sys::Lock::Mode::exclusive, base::limits::file_lock_ms);
    if (!subject.lock)
        throw Error(ErrorCode::agent_busy,
                    subject.path + ": another process has been changing it for 30 s");
    if (subject.agent) subject.agent = life::require_again(*subject.store, *subject.agent);
    read_text(subject);
}

void check_text(const Subject& subject, const std::string& text) {
    if (!subject.agent) {
        const auto configuration = agent::parse_home_configuration(text, subject.path);
        agent::check_profiles(configuration, subject.path);
        agent::check_audit_sink(configuration, subject.home);
        return;
    }
    const auto configuration = agent::parse_configuration(text, subject.path);
    (void)agent::resolve_profile(configuration.permissions,
                                 agent::load_home_configuration(subject.home), subject.path);
}

void refresh_index(Subject& subject, const std::string& text_in_force) {
    const auto configuration = agent::parse_configuration(text_in_force, subject.path);
    store::Agent row = *subject.agent;
    if (!configuration.model.empty()) row.model = configuration.model;
    row.permissions = configuration.permissions.name;
    row.description = configuration.description;
    row.channel_id = configuration.channel_id;
    store::refresh_agent_index(*subject.store, row);
}

void deliver_audit(Subject& subject) {
    const agent::HomeConfiguration home = agent::load_home_configuration(subject.home);
    channel::deliver_audit(*subject.store, {home.audit_sink, subject.home.audit_lock()}, notice);
}

std::string setting_line(std::string name, const std::string& origin, const std::string& value,
                         const SettingColumns& columns) {
    std::string line = cli::padded(std::move(name), columns.origin - 2) + "  " + origin;
    line =
        cli::padded(line, columns.value - 2) + "  " + base::visible(value, base::Newlines::escape);
    return line.substr(0, line.find_last_not_of(' ') + 1);
}

life::Decider decider(const Begun& begun) {
    return {place::actor_text("", begun.environment),
            place::secrets_of(begun.home, begun.environment)};
}

}  // namespace chorus::command
