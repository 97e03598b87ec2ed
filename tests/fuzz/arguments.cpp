// The arguments of a call, as a model wrote them: what approvals are bound to does not depend on
// how they were written, and every tool names what it would do.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "agent/configuration.hpp"
#include "fuzz/property.hpp"
#include "model/catalog.hpp"
#include "policy/profile.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {
namespace {

using fuzz::require;
using fuzz::require_equal;
using Ordered = nlohmann::ordered_json;

Ordered reversed(const Ordered& value) {
    if (value.is_array()) {
        Ordered items = Ordered::array();
        for (const Ordered& item : value) items.push_back(reversed(item));
        return items;
    }
    if (!value.is_object()) return value;
    Ordered members = Ordered::object();
    std::vector<std::string> names;
    for (const auto& [name, member] : value.items()) names.push_back(name);
    while (!names.empty()) {
        members[names.back()] = reversed(value[names.back()]);
        names.pop_back();
    }
    return members;
}

const Workplace& workplace() {
    static const sys::Root root("/usr");
    static const agent::HomeConfiguration home_configuration;
    static const model::Catalog catalog;
    static const Workplace place{.root = root,
                                 .home_configuration = home_configuration,
                                 .catalog = catalog,
                                 .agent = "a",
                                 .sandbox = {},
                                 .environment = {},
                                 .sandbox_problem = {},
                                 .stop = {},
                                 .file_lock_path = {}};
    return place;
}

void check_read(const Arguments& arguments) {
    for (const std::string& name : arguments.names()) {
        require(arguments.has(name), "what is named is there", name);
        require(!arguments.fits(name, "string") ||
                    arguments.text(name, "a") == arguments.text(name, "b"),
                "a text is a text", name);
        require(!arguments.fits(name, "integer") ||
                    arguments.integer(name, 1) == arguments.integer(name, 2),
                "an integer is an integer", name);
        require(!arguments.fits(name, "boolean") ||
                    arguments.flag(name, true) == arguments.flag(name, false),
                "a flag is a flag", name);
    }
}

void check_actions(const Arguments& one, const Arguments& other) {
    static const policy::Profile locked = *policy::Profile::preset("locked");
    for (const Tool& tool : registry()) {
        const std::string problem = check_arguments(tool, one);
        require_equal("the same problem", problem, check_arguments(tool, other));
        require(fuzz::is_utf8(problem), "a problem is UTF-8", problem);
        if (!problem.empty()) continue;
        const std::string named = action(tool, one, workplace());
        require_equal("the same action", named, action(tool, other, workplace()));
        require(named.starts_with("tool:" + std::string(tool.family) + ":"), "its family", named);
        const policy::Action read = policy::parse_action(named);
        require_equal("the action names its tool", read.tool, tool.family);
        const bool reads = tool.kind == Class::read && tool.family != "git";
        require(reads || locked.decide(read, {}).verdict == policy::Verdict::deny,
                "who may only look changes nothing", named);
    }
}

}  // namespace
}  // namespace chorus::tools

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace chorus;
    const std::string_view text = fuzz::text_of(bytes, size);
    const tools::Arguments arguments = tools::Arguments::parse(text);
    if (!arguments.problem().empty()) {
        fuzz::require(arguments.canonical().empty(), "what is broken has no form", text);
        return 0;
    }
    const std::string& canonical = arguments.canonical();
    fuzz::require(fuzz::is_utf8(canonical), "the canonical form is UTF-8", text);
    const tools::Arguments again = tools::Arguments::parse(canonical);
    fuzz::require_equal("canonical once", canonical, again.canonical());
    const auto value = nlohmann::ordered_json::parse(canonical);
    const std::string turned = tools::reversed(value).dump(3);
    const tools::Arguments other = tools::Arguments::parse(turned);
    fuzz::require_equal("order and blanks say nothing", canonical, other.canonical());
    tools::check_read(arguments);
    tools::check_actions(arguments, again);
    tools::check_actions(arguments, other);
    return 0;
}
