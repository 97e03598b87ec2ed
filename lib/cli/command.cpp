#include "cli/command.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/number.hpp"
#include "base/text.hpp"

namespace chorus::cli {
namespace {

constexpr std::int64_t most_number = std::numeric_limits<int>::max();

}  // namespace

Option::Option(std::string_view names, OptionVariable target, Takes takes, std::string_view about)
    : names_(names.substr(0, names.find_first_of(" ["))),
      type_(base::trim(names.substr(names_.size()))),
      target_(target),
      takes_(type_.starts_with('[') ? Takes::value_behind_equals : takes),
      about_(about) {}

void Option::note_literal() const {
    if (literal_ != nullptr) *literal_ = true;
}

std::vector<std::string_view> Option::names() const {
    return base::split(names_, ',');
}

bool Option::has_name(std::string_view name) const {
    for (std::string_view rest = names_;;) {
        const std::size_t comma = rest.find(',');
        if (rest.substr(0, comma) == name) return true;
        if (comma == std::string_view::npos) return false;
        rest.remove_prefix(comma + 1);
    }
}

std::string_view Option::name() const {
    const auto all = names();
    const auto found = std::find_if(all.begin(), all.end(), [](std::string_view name) {
        return name[0] == '-' && name[1] == '-';
    });
    return found == all.end() ? all.front() : *found;
}

bool Option::is_number() const {
    return std::holds_alternative<std::int64_t*>(target_.place) ||
           std::holds_alternative<std::optional<std::int64_t>*>(target_.place);
}

std::optional<std::int64_t> Option::number(const std::string& text) const {
    const auto value = base::parse_number<std::int64_t>(text);
    return value && *value >= least_ && *value <= most_number ? value : std::nullopt;
}

// Paths, and values that may be paths, hold any bytes. So may an action: one that is not text is
// denied later.
bool Option::is_of_bytes() const {
    const std::string_view kind = type_.empty() ? names_ : type_;
    const auto has = [&](std::string_view part) { return kind.find(part) != kind.npos; };
    return has("FILE") || has("DIR") || has("PATH") || kind == "VALUE" || kind == "ACTION";
}

std::string Option::problem_of(const std::string& text) const {
    if (text.empty()) return may_be_empty_ ? "" : "is empty";
    if (const auto at = base::find_invalid_utf8(text); at && !is_of_bytes())
        return "not valid UTF-8 at byte " + std::to_string(*at);
    if (!values_.empty() && std::find(values_.begin(), values_.end(), text) == values_.end())
        return base::quoted(text) + " is not one of " + base::quoted_list(values_);
    if (!is_number() || number(text)) return {};
    const bool is_of_digits = text.find_first_not_of("0123456789") == std::string::npos;
    if (is_of_digits && base::parse_number<std::int64_t>(text).value_or(INT64_MAX) > most_number)
        return base::quoted(text) + " is more than " + std::to_string(most_number);
    return base::quoted(text) + " is not a whole number, " + std::to_string(least_) + " or more";
}

void Option::store(const std::string& text) const {
    struct Storing {
        const Option& option;
        const std::string& text;
        void operator()(bool* target) const { *target = true; }
        void operator()(std::int64_t* target) const { *target = *option.number(text); }
        void operator()(std::optional<std::int64_t>* target) const {
            *target = option.number(text);
        }
        void operator()(std::string* target) const { *target = text; }
        void operator()(std::optional<std::string>* target) const { *target = text; }
        void operator()(std::vector<std::string>* target) const { target->push_back(text); }
    };
    std::visit(Storing{*this, text}, target_.place);
}

void Option::replace(std::string_view text, const std::function<std::string()>& by) const {
    if (auto* const* one = std::get_if<std::string*>(&target_.place); one && **one == text)
        **one = by();
    if (auto* const* list = std::get_if<std::vector<std::string>*>(&target_.place))
        for (std::string& each : **list)
            if (each == text) each = by();
}

Command::Command(std::string path, std::string_view about) : path_(std::move(path)), about_(about) {
    flag("-h,--help", ends_reading_, "show this help");
    if (path_.find(' ') == std::string::npos)
        flag(version_option, ends_reading_, "show the version");
}

const Option* Command::find(std::string_view name) const {
    for (const Option& option : options_)
        if (option.has_name(name)) return &option;
    return nullptr;
}

}  // namespace chorus::cli
