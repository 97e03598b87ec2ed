// An agent's context as it is now, and what is needed to save it.
#pragma once

#include <string>
#include <vector>

#include "context/session.hpp"
#include "place/in_force.hpp"

namespace chorus::turn {

enum class Summaries { by_model, by_rule };

struct Present {
    store::AgentId agent = 0;
    agent::HomeConfiguration home;
    model::Catalog catalog = model::Catalog();
    agent::Configuration configuration;
    place::Settings settings;
    std::string problem;          // why the settings are not those in force, or ""
    base::TimeMs after_time = 0;  // of the rolling window
    policy::Redaction redaction;  // the key in use
    std::vector<context::SessionMessage> messages;
};

// Returns the windows of these threads, or of all threads if none is given. Needs no lock, because
// messages never change. An unknown model in agent.json has the effect of a failed summary.
Present present_context(store::Store& store, const store::Agent& agent,
                        const std::vector<store::ThreadId>& threads,
                        const place::Surroundings& surroundings);

// Returns what a session of it says; `description` may be "". A failed summary is a warning, and
// the session says so.
context::SessionAbout about_session(store::Store& store, const Present& present,
                                    context::SessionTrigger trigger, const std::string& description,
                                    Summaries summaries, const place::Surroundings& surroundings);

// Returns the time that all messages of the agent's window are newer than; 0 if its configuration
// cannot be read.
base::TimeMs window_begin(const agent::Home& home, const store::Agent& agent);

}  // namespace chorus::turn
