// Summaries by the agent's model.
#pragma once

#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "context/session.hpp"
#include "place/in_force.hpp"

namespace chorus::turn {

enum class SummaryFor {
    people,  // two to four sentences, cut to 1000 characters
    model,   // what it needs to continue without the messages
};

struct Summary {
    std::string text;     // "" if none could be made
    std::string problem;  // why not
    chat::Usage usage = {};
};

// Asks the model of `settings`, which gets the conversation as text and no tools, with the retries
// of a turn and one minute in all; for builtin/script the summary is made by rule. A failure of the
// model or of the connection is a `problem`; a signal is Error(canceled).
struct Summarizer {
    store::Store& store;
    store::AgentId agent;
    store::TurnId turn;          // 0: outside a turn
    const std::string& problem;  // why the settings cannot be used, or ""
    const place::Settings& settings;
    const agent::HomeConfiguration& home;
    const model::Catalog& catalog;
    const place::Surroundings& surroundings;
    const std::string& profile_mode;  // --profile-mode
};
Summary summarize(const std::vector<context::SessionMessage>& messages, SummaryFor reader,
                  const Summarizer& by);

// Returns the text to summarise: messages, calls and results. Long parts are shortened; if the text
// is too long, its middle is left out.
std::string conversation_text(const std::vector<context::SessionMessage>& messages);

}  // namespace chorus::turn
