#include "chorus-config/subject.hpp"

#include <unistd.h>

#include "base/limits.hpp"
#include "channel/audit_sink.hpp"
#include "cli/main.hpp"
#include "life/find_agent.hpp"
#include "life/opening.hpp"
#include "life/trust.hpp"
#include "place/in_force.hpp"
#include "place/secrets.hpp"
#include "sys/file.hpp"

namespace chorus::config {
namespace {

using base::Error;
using base::ErrorCode;

agent::Directory directory_of(const Subject& subject) {
    return agent::Directory(subject.home.path() + "/" + subject.agent->dir);
}

void read_text(Subject& subject) {
    if (subject.agent)
        subject.text = agent::configuration_text(directory_of(subject));
    else
        subject.text = agent::configuration_text(subject.home);
}

void find_file(Subject& subject, const Call& call) {
    subject.path = subject.home.config();
    if (!call.agent.empty()) {
        subject.agent = life::require_agent(subject.home, *subject.store, call.agent);
        subject.path = directory_of(subject).configuration();
    }
    read_text(subject);
}

}  // namespace

Subject open_to_read(const Call& call, const sys::Environment& environment) {
    Subject subject{.home = agent::find_home(environment), .path = {}, .text = {}};
    const bool needs_agent = !call.agent.empty();
    if (needs_agent)
        subject.store = life::open_home(subject.home, environment, agent::IfMissing::refuse,
                                        agent::groom_in_force("", environment));
    else if (sys::exists(subject.home.path()))
        agent::open_home(subject.home, environment, agent::IfMissing::refuse);
    find_file(subject, call);
    return subject;
}

Subject open_to_change(const Call& call, const sys::Environment& environment) {
    Subject subject{.home = agent::find_home(environment), .path = {}, .text = {}};
    subject.store =
        life::open_home(subject.home, environment,
                        call.agent.empty() ? agent::IfMissing::create : agent::IfMissing::refuse,
                        agent::groom_in_force("", environment));
    life::refuse_from_inside(*subject.store, environment);
    find_file(subject, call);
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
    channel::deliver_audit(
        *subject.store, {home.audit_sink, subject.home.audit_lock()},
        [](const std::string& what) { cli::print_line(program, "notice", what); });
}

life::Decider decider(const Subject& subject, const sys::Environment& environment) {
    return {static_cast<std::int64_t>(getuid()), place::actor_text("", environment),
            place::secrets_of(subject.home, environment)};
}

void check_grant(const Subject& subject, const std::string& part_before, const std::string& part,
                 const sys::Environment& environment) {
    const agent::HomeConfiguration home = agent::load_home_configuration(subject.home);
    life::check_grant(environment, home, part_before, part);
}

}  // namespace chorus::config
