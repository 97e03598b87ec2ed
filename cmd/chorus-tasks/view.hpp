// Shared by the verbs that show a state, once or with --follow.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "chat/dialect.hpp"
#include "chorus-tasks/verb.hpp"
#include "cli/live_view.hpp"

namespace chorus::tasks_command {

struct ViewOptions {
    std::string name;
    bool json = false;
    bool follow = false;
};
void add_name(cli::Command& verb, ViewOptions& options);
void add_json(cli::Command& verb, ViewOptions& options, const char* help);
void add_follow(cli::Command& verb, ViewOptions& options);

// Returns the agent of that name, also a destroyed one. Error(not_found) lists the agents.
store::Agent known_agent(Opened& opened, const std::string& name);
// Reads the agent's row again.
store::Agent again(Opened& opened, const store::Agent& agent);
bool is_gone(const store::Agent& agent);

// Draws on stdout once, with `follow` until the last frame or a signal.
using Draw = std::function<cli::Frame(cli::Form form, std::size_t width)>;
base::ExitStatus show(Opened& opened, const ViewOptions& options, const Draw& draw);

// Like show(), but each frame has only what is new (cli::append).
base::ExitStatus append(Opened& opened, const ViewOptions& options, const Draw& draw);

// ISO 8601; "" for 0.
std::string iso(base::TimeMs time);
// "5 min ago"; "" for 0.
std::string ago(base::TimeMs time);
// Cuts each line to the width of the terminal.
void cut_lines(std::vector<std::string>& lines, std::size_t width);

// Joins the three to one line. The middle is cut if they are wider than `width`.
std::string fitted(const std::string& head, const std::string& middle, const std::string& tail,
                   std::size_t width);

using chat::write_number;
using chat::write_text;
using chat::write_time;

}  // namespace chorus::tasks_command
