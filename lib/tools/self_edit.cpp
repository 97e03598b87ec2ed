#include "tools/self_edit.hpp"

#include <memory>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "tools/effect.hpp"
#include "tools/result.hpp"

namespace chorus::tools {
namespace {

constexpr std::size_t shown_characters = 500;

std::string for_reading(std::string_view name, const std::string& text) {
    const std::size_t length = base::utf8_length(text);
    std::string head(name);
    if (length > shown_characters)
        head += ", the first " + std::to_string(shown_characters) + " of " +
                counted(length, "character");
    return head + ":\n" + std::string(first_characters(text, shown_characters)) + "\n";
}

std::string for_audit(std::string_view name, const std::string& text) {
    return std::string(name) + " sha256 " + base::sha256_hex(text) + ": " +
           std::string(first_characters(text, shown_characters));
}

std::string told(const SelfEdit& edit) {
    return "changed " + edit.what + "\n" + for_reading("old", edit.before) +
           for_reading("new", edit.after) + edit.note + "\n";
}

struct Held {
    sys::Lock lock;
    sys::Root directory;
};

}  // namespace

std::optional<sys::Lock> lock_configuration(const Workplace& workplace) {
    return sys::Lock::acquire(workplace.configuration_lock_path, sys::Lock::Mode::exclusive,
                              base::limits::file_lock_ms, workplace.stop);
}

chat::ToolResult configuration_locked() {
    return failure(
        "another process is changing this agent's configuration; nothing was changed, try again");
}

Plan plan_self_edit(const Workplace& workplace, sys::Lock lock, SelfEdit edit) {
    std::string evidence =
        file_evidence(edit.path, edit.hash, content_hash(edit.content), of_agent);
    std::string audit = for_audit("old", edit.before) + "; " + for_audit("new", edit.after);
    const auto held = std::make_shared<Held>(
        Held{std::move(lock), sys::Root(workplace.directory.path(), "the agent's directory")});
    return {std::move(evidence),
            [held, edit = std::move(edit)] {
                const std::string problem = held->directory.write_file(edit.path, edit.content);
                return problem.empty() ? answer(told(edit)) : failure(problem);
            },
            std::move(audit)};
}

}  // namespace chorus::tools
