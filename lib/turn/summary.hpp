// Summaries by the agent's model.
#pragma once

#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "context/session.hpp"
#include "turn/settings.hpp"
#include "turn/turn.hpp"

namespace chorus::turn {

enum class SummaryFor {
    people,  // two to four sentences, cut to 1000 characters
    model,   // what it needs to go on without the messages
};

struct Summary {
    std::string text;     // "" where none could be made
    std::string problem;  // why
    chat::Usage usage = {};
};

// Asks the model of `settings`, which gets the conversation as text and no tools, with the retries
// of a turn and a minute for all of it; builtin/script makes it by rule. A failure of the model or
// of what it is reached by is a problem; a signal is Error(canceled).
Summary summarize(const std::vector<context::SessionMessage>& messages, SummaryFor reader,
                  const Settings& settings, const agent::HomeConfiguration& home,
                  const Surroundings& surroundings);

// The text that is asked about: what was said, called and answered, long parts shortened, what is
// too much left out of the middle.
std::string conversation_text(const std::vector<context::SessionMessage>& messages);

}  // namespace chorus::turn
