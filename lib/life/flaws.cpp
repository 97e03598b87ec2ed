#include "life/flaws.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/shell_quoted.hpp"
#include "base/time.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"

namespace chorus::life {
namespace {

using base::Error;

std::string with_hint(const Error& error) {
    return error.message() + (error.hint().empty() ? "" : "; " + error.hint());
}

}  // namespace

std::string problem_in(const std::function<void()>& work) {
    try {
        work();
        return {};
    } catch (const Error& error) {
        return error.message();
    }
}

std::string access_problem(const std::string& path, sys::Use use) {
    const std::string why = sys::why_not_usable(path, use);
    if (why.empty()) return {};
    return path + ": " + why + "; chmod u+rwX " + base::shell_quoted(path);
}

std::string set_aside(const std::string& path) {
    const std::string stamped = path + ".broken-" + base::compact_utc(sys::now_ms());
    std::string free = stamped;
    for (int more = 2; !sys::rename_if_free(path, free); ++more)
        free = stamped + "-" + std::to_string(more);
    return free;
}

void Flaws::mend(const std::string& what, const std::function<std::string()>& work) {
    if (!fix_) return add(what);
    std::string then;
    const std::string problem = problem_in([&] { then = work(); });
    add(what + "; " + (problem.empty() ? then : problem), problem.empty());
}

void Flaws::check(const Part& part) {
    const bool is_directory = part.kind == Part::Kind::directory;
    if (const std::string problem = access_problem(part.path, part.use); !problem.empty())
        return add(problem);
    if (!sys::exists(part.path) ||
        (is_directory ? sys::is_directory(part.path) : sys::is_regular_file(part.path)))
        return;
    const std::string what =
        part.path + (is_directory ? ": not a directory" : ": not a regular file");
    if (!part.is_made_again) return add(what + "; move it away, and run this again");
    mend(what, [&] {
        const std::string kept = set_aside(part.path);
        if (is_directory) sys::make_directory(part.path, 0700);
        return "the old one was moved to " + kept;
    });
}

void Flaws::attempt(const std::string& whose, const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        if (error.code() == base::ErrorCode::agent_busy) throw;
        const bool is_known = std::any_of(flaws_.begin(), flaws_.end(), [&](const Flaw& flaw) {
            return flaw.what.find(error.message()) != std::string::npos;
        });
        if (!is_known) add(whose + with_hint(error));
    }
}

}  // namespace chorus::life
