// What the verbs share that show how things stand, once or again and again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "chat/dialect.hpp"
#include "chorus-tasks/verb.hpp"
#include "cli/live.hpp"

namespace chorus::tasks_command {

struct ViewOptions {
    std::string name;
    bool json = false;
    bool follow = false;
};
void add_name(cli::Command& verb, ViewOptions& options);
void add_json(cli::Command& verb, ViewOptions& options, const char* help);
void add_follow(cli::Command& verb, ViewOptions& options);

// The agent of that name, a destroyed one too. Error(not_found) that lists those there are.
store::Agent known_agent(Opened& opened, const std::string& name);
// The same one as its row is now.
store::Agent again(Opened& opened, const store::Agent& agent);
bool is_gone(const store::Agent& agent);

// On stdout, once, or with `follow` until there is an end.
using Draw = std::function<cli::Frame(cli::Form form, std::size_t width)>;
base::ExitStatus show(Opened& opened, const ViewOptions& options, const Draw& draw);

// The same of what is new each time that it is drawn (cli::append).
base::ExitStatus append(Opened& opened, const ViewOptions& options, const Draw& draw);

// ISO 8601; "" for 0.
std::string iso(base::TimeMs time);
// "5 min ago"; "" for 0.
std::string ago(base::TimeMs time);
// Each line cut to the width of a terminal.
void cut_lines(std::vector<std::string>& lines, std::size_t width);

// One line of the three, of which the middle gives way where they are wider together.
std::string fitted(const std::string& head, const std::string& middle, const std::string& tail,
                   std::size_t width);

using chat::write_number;
using chat::write_text;
using chat::write_time;

}  // namespace chorus::tasks_command
