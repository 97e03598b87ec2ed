#include <cerrno>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "model/choice.hpp"
#include "store/agents.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"
#include "task/order.hpp"
#include "task/task.hpp"

namespace chorus::task {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::size_t most_answer_bytes = 64U << 10;

// A supervisor that starts no turn needs no key, and may run for weeks.
std::vector<std::string> environment_of(const sys::Environment& own, bool with_keys) {
    std::vector<std::string> all;
    for (const auto& [name, value] : own.all())
        if (with_keys || !model::is_key_variable(name)) all.push_back(name + "=" + value);
    return all;
}

void check(const Site& site, const Order& order) {
    if (!sys::is_directory(order.about.directory))
        throw base::system_error(order.about.directory, ENOENT);
    require_room(site.store, site.agent,
                 "wait for one, or end it: chorus-tasks wait NAME ID, chorus-tasks kill NAME ID");
    if (order.about.goes_on && order.about.depth > base::limits::task_depth)
        throw Error(ErrorCode::limit, "task: tasks and turns have started each other " +
                                          std::to_string(base::limits::task_depth) +
                                          " times: this task may not start a turn");
}

// "chorus-tasks: error: what: why\n…"
std::string first_error(std::string_view text) {
    constexpr std::string_view mark = "error: ";
    const std::string_view line = base::trim(text.substr(0, text.find('\n')));
    const std::size_t at = line.find(mark);
    if (at != std::string_view::npos) return std::string(line.substr(at + mark.size()));
    return line.empty() ? "its supervisor ended without a message" : std::string(line);
}

// Reads what the supervisor says until it closes the pipe.
std::string read_answer(const sys::Pipe& pipe) {
    std::string said;
    (void)sys::try_read_all(pipe.read_end.get(), most_answer_bytes, said);
    return said;
}

}  // namespace

store::Task start(const Site& site, const Order& order, const sys::Environment& own) {
    check(site, order);
    const auto agent = store::find_agent(site.store, site.agent);
    Instructions instructions{.home = site.home.path(),
                              .directory = site.directory.path(),
                              .agent_name = agent ? agent->name : "",
                              .order = order};
    instructions.order.about.agent_id = site.agent;
    const sys::Fd text = sys::memory_file(to_cbor(instructions));
    sys::Pipe said = sys::make_pipe();
    sys::Pipe complained = sys::make_pipe();
    sys::ProcessCommand supervisor{.arguments = {sys::program_beside("chorus-tasks"), "supervise"},
                                   .umask = sys::caller_umask()};
    if (order.program.empty() && !order.about.goes_on)
        supervisor.environment = environment_of(own, false);
    else
        own.pass_to(supervisor);  // /proc shows no key of it
    sys::start(supervisor, {text.get(), said.write_end.get(), complained.write_end.get()});
    said.write_end.reset();
    complained.write_end.reset();
    const std::string id = read_answer(said);
    if (id.empty()) {
        const std::string problem = read_answer(complained);
        settle(site);
        throw Error(ErrorCode::failed, "the task could not be started: " + first_error(problem));
    }
    const auto task = store::find_task(site.store, site.agent, id);
    if (!task) throw Error(ErrorCode::internal, id + ": it is not in the database");
    return *task;
}

void begin_turn(const std::string& agent_name, store::ThreadId thread, Begin begin,
                const sys::Environment& environment) {
    sys::start(
        {.arguments = {sys::program_beside("chorus-run"), agent_name, "-t", std::to_string(thread),
                       begin == Begin::resume ? "--resume" : "--inbox", "--wait", "-q"},
         .environment = environment_of(environment, true),
         .umask = sys::caller_umask()},
        {});
}

}  // namespace chorus::task
