#include "turn/present.hpp"

#include "base/error.hpp"
#include "life/known_models.hpp"
#include "place/secrets.hpp"
#include "sys/clock.hpp"
#include "turn/summary.hpp"

namespace chorus::turn {
namespace {

// A session can be saved even if the configuration allows no turn.
place::Settings settings_of(Present& present, const store::Agent& agent,
                            const place::Surroundings& surroundings) {
    try {
        return place::resolve_settings({}, surroundings.environment, present.configuration,
                                       present.home, present.catalog, surroundings.home);
    } catch (const base::Error& error) {
        present.problem = error.message();
        place::Settings settings;
        settings.model = agent.model;
        settings.rolling_window_ms =
            place::window_in_force_ms(present.configuration.shared, present.home.shared);
        return settings;
    }
}

}  // namespace

Present present_context(store::Store& store, const store::Agent& agent,
                        const std::vector<store::ThreadId>& threads,
                        const place::Surroundings& surroundings) {
    Present present;
    present.agent = agent.id;
    present.home = agent::load_home_configuration(surroundings.home);
    present.catalog = life::load_catalog(store, surroundings.home);
    present.configuration = agent::load_configuration(surroundings.home.directory(agent.dir));
    present.settings = settings_of(present, agent, surroundings);
    present.after_time = sys::now_ms() - present.settings.rolling_window_ms;
    present.redaction = place::secrets_of(surroundings.home, surroundings.environment,
                                          present.home.shared.environment);
    place::add_secrets(present.redaction, surroundings.environment,
                       present.configuration.shared.environment);
    present.messages = threads.empty()
                           ? context::agent_messages(store, agent, present.after_time)
                           : context::session_messages(store, agent, threads, present.after_time);
    return present;
}

context::SessionAbout about_session(store::Store& store, const Present& present,
                                    context::SessionTrigger trigger, const std::string& description,
                                    Summaries summaries, const place::Surroundings& surroundings) {
    const context::Summarize by_model = [&](const std::vector<context::SessionMessage>& messages) {
        const Summary summary =
            summarize(messages, SummaryFor::people,
                      {store, present.agent, 0, present.problem, present.settings, present.home,
                       present.catalog, surroundings, ""});
        if (!summary.problem.empty()) surroundings.warn("no summary: " + summary.problem);
        return summary.text;
    };
    return {
        .trigger = trigger,
        .model = present.settings.model,
        .description = description,
        .summary = context::summary_of(
            present.messages, summaries == Summaries::by_model ? by_model : context::Summarize())};
}

base::TimeMs window_begin(const agent::Home& home, const store::Agent& agent) {
    try {
        const auto own = agent::load_configuration(home.directory(agent.dir)).shared;
        return sys::now_ms() -
               place::window_in_force_ms(own, agent::load_home_configuration(home).shared);
    } catch (const base::Error&) {
        return 0;
    }
}

}  // namespace chorus::turn
