#include "context/branches.hpp"

#include <algorithm>
#include <iostream>

#include <unistd.h>

#include "chat/json_text.hpp"
#include "chorus-context/verb.hpp"
#include "cli/time_text.hpp"

namespace chorus::context_command {
namespace {

using context::Branch;

struct Options {
    Named named;
    bool json = false;
};

std::string origin_of(const Branch& branch) {
    if (branch.parent.empty()) return "-";
    return branch.parent + " at " + std::to_string(branch.thread.branch_point);
}

// Prints columns on a terminal, otherwise a tab between fields.
void print_text(const std::vector<Branch>& branches) {
    const bool is_table = isatty(STDOUT_FILENO) == 1;
    std::size_t name_width = 0;
    std::size_t origin_width = 0;
    for (const Branch& branch : branches) {
        name_width = std::max(name_width, branch.thread.branch.size());
        origin_width = std::max(origin_width, origin_of(branch).size());
    }
    const auto field = [&](const std::string& text, std::size_t width) {
        std::cout << text;
        if (!is_table)
            std::cout << '\t';
        else
            std::cout << std::string(width - std::min(width, text.size()) + 2, ' ');
    };
    for (const Branch& branch : branches) {
        std::cout << (branch.is_current ? "* " : "  ");
        field(branch.thread.branch, name_width);
        field("thread " + std::to_string(branch.thread.id), 10);
        field(origin_of(branch), origin_width);
        field(branch.thread.status, 0);
        std::cout << cli::shown_time(branch.thread.last_activity) << '\n';
    }
}

void print_json(const Branch& branch, const std::string& agent) {
    const store::Thread& thread = branch.thread;
    chat::JsonText out = chat::open_object("branch");
    write_text(out, "agent", agent);
    write_text(out, "branch", thread.branch);
    out.key("thread").number(thread.id).key("current").boolean(branch.is_current);
    write_text(out, "status", thread.status);
    write_text(out, "parent_branch", branch.parent);
    write_number(out, "parent_thread", thread.parent_thread, 0);
    write_number(out, "branch_point", thread.branch_point, 0);
    write_text(out, "commit", branch.commit);
    write_time(out, "created_at", thread.created_at);
    write_time(out, "last_activity_at", thread.last_activity);
    std::cout << out.end_object().text() << '\n';
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const store::Agent agent = require_agent(opened, options.named);
    context::reclaim_branches(*opened.store, opened.home, agent);
    const std::vector<Branch> branches = context::list_branches(*opened.store, opened.home, agent);
    if (options.json)
        for (const Branch& branch : branches) print_json(branch, agent.name);
    else
        print_text(branches);
    return base::ExitStatus::done;
}

}  // namespace

Action add_branches(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name(verb, options->named);
    verb.flag("--json", options->json, "print one JSON object per line");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
