#include "model/answer_schema.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "model/schema_keywords.hpp"

namespace chorus::model {
namespace {

constexpr std::size_t most_problems = 5;

// A number as it compares: exact for all that JSON texts hold.
long double number_of(const Tree& value) {
    if (value.is_number_unsigned()) return static_cast<long double>(value.get<std::uint64_t>());
    if (value.is_number_integer()) return static_cast<long double>(value.get<std::int64_t>());
    return static_cast<long double>(value.get<double>());
}

bool is_integral(const Tree& value) {
    return value.is_number_integer() ||
           (value.is_number() && value.get<double>() == std::floor(value.get<double>()));
}

bool is_multiple(const Tree& value, const Tree& divisor) {
    const long double quotient = number_of(value) / number_of(divisor);
    if (value.is_number_integer() && divisor.is_number_integer())
        return std::fmod(number_of(value), number_of(divisor)) == 0;
    // 19.99 is a multiple of 0.01, though neither is such a number in binary
    const long double off = std::fabs(quotient - std::round(quotient));
    return off <= 1e-9L * std::max(1.0L, std::fabs(quotient));
}

bool has_type(const Tree& value, const std::string& type) {
    if (type == "integer") return is_integral(value);
    if (type == "number") return value.is_number();
    return type == value.type_name();
}

std::size_t characters_in(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
    }));
}

std::string shown(const Tree& value) {
    constexpr std::size_t most_shown = 60;
    const std::string text = value.dump(-1, ' ', false, Tree::error_handler_t::replace);
    const std::string_view part = base::utf8_prefix(text, most_shown);
    return std::string(part) + (part.size() < text.size() ? "…" : "");
}

// Checks one answer. Each pair of a schema and a value is judged once, so that schemas which apply
// in many ways take no longer than those.
class AnswerCheck {
  public:
    explicit AnswerCheck(const SchemaParts& parts) : parts_(parts) {}

    bool is_valid(const Tree& schema, const Tree& value) {
        if (schema.is_boolean()) return schema.get<bool>();
        const auto [known, is_new] = judged_.try_emplace({&schema, &value}, true);
        if (!is_new) return known->second;
        const bool valid = examine(schema, value, nullptr);
        judged_[{&schema, &value}] = valid;
        return valid;
    }

    // Adds why the value is not valid.
    void explain(const Tree& schema, const Tree& value, const std::string& path) {
        if (problems_.size() == most_problems) return;
        if (schema.is_boolean()) return add(path, "it is not allowed");
        (void)examine(schema, value, &path);
    }

    std::string problems() const {
        std::string all;
        for (const std::string& each : problems_) all += (all.empty() ? "" : "; ") + each;
        return all;
    }

  private:
    void add(const std::string& path, const std::string& why) {
        if (problems_.size() < most_problems)
            problems_.push_back((path.empty() ? "the value" : path) + ": " + why);
    }
    // Returns false; where a path is given, also tells why.
    bool fail(const std::string* path, const std::string& why) {
        if (path != nullptr) add(*path, why);
        return false;
    }
    // Whether an inner value is valid; tells why not.
    bool enter(const Tree& schema, const Tree& value, const std::string* path,
               const std::string& step) {
        if (is_valid(schema, value)) return true;
        if (path != nullptr) explain(schema, value, *path + step);
        return false;
    }

    static const Tree* find(const Tree& schema, const char* name) {
        const auto found = schema.find(name);
        return found == schema.end() ? nullptr : &*found;
    }

    // Without a path it stops at the first problem; with one it tells them all.
    bool examine(const Tree& schema, const Tree& value, const std::string* path) {
        bool valid = true;
        const auto all = [&](bool holds) {
            valid = valid && holds;
            return valid || path != nullptr;
        };
        if (!all(examine_type(schema, value, path))) return false;
        if (!valid) return false;  // what else is said of another type would confuse
        if (!all(examine_in_place(schema, value, path))) return false;
        if (value.is_number()) return all(examine_number(schema, value, path)) && valid;
        if (value.is_string())
            return all(examine_text(schema, value.get_ref<const std::string&>(), path)) && valid;
        if (value.is_array()) return all(examine_array(schema, value, path)) && valid;
        if (value.is_object()) return all(examine_object(schema, value, path)) && valid;
        return valid;
    }

    bool examine_type(const Tree& schema, const Tree& value, const std::string* path) {
        if (const Tree* type = find(schema, "type")) {
            const bool fits = type->is_array()
                                  ? std::any_of(type->begin(), type->end(),
                                                [&](const Tree& one) {
                                                    return has_type(value, one.get<std::string>());
                                                })
                                  : has_type(value, type->get<std::string>());
            if (!fits)
                return fail(path, "its type is not " + shown(*type) + " but " + value.type_name());
        }
        if (const Tree* one = find(schema, "const"); one != nullptr && *one != value)
            return fail(path, "it is not " + shown(*one));
        if (const Tree* list = find(schema, "enum");
            list != nullptr && std::find(list->begin(), list->end(), value) == list->end())
            return fail(path, "it is none of " + shown(*list));
        return true;
    }

    bool examine_in_place(const Tree& schema, const Tree& value, const std::string* path) {
        bool valid = true;
        if (const auto target = parts_.references.find(&schema);
            target != parts_.references.end() && !enter(*target->second, value, path, ""))
            valid = false;
        if (const Tree* list = find(schema, "allOf"))
            for (const Tree& each : *list) valid = enter(each, value, path, "") && valid;
        if (const Tree* list = find(schema, "anyOf"); list && count(*list, value) == 0)
            valid = explain_branches(*list, value, path, "anyOf");
        if (const Tree* list = find(schema, "oneOf")) {
            const std::size_t matching = count(*list, value);
            if (matching == 0) valid = explain_branches(*list, value, path, "oneOf");
            if (matching > 1)
                valid = fail(path, "it matches " + std::to_string(matching) + " schemas of oneOf");
        }
        if (const Tree* one = find(schema, "not"); one && is_valid(*one, value))
            valid = fail(path, "it matches the schema of not");
        if (const Tree* condition = find(schema, "if")) {
            const Tree* next = find(schema, is_valid(*condition, value) ? "then" : "else");
            if (next != nullptr) valid = enter(*next, value, path, "") && valid;
        }
        return valid;
    }

    std::size_t count(const Tree& schemas, const Tree& value) {
        return static_cast<std::size_t>(
            std::count_if(schemas.begin(), schemas.end(),
                          [&](const Tree& schema) { return is_valid(schema, value); }));
    }

    // A branch for another type is not what was meant.
    bool explain_branches(const Tree& schemas, const Tree& value, const std::string* path,
                          const char* keyword) {
        if (path == nullptr) return false;
        add(*path, std::string("it matches no schema of ") + keyword);
        for (const Tree& schema : schemas)
            if (schema.is_object() && examine_type(schema, value, nullptr))
                explain(schema, value, *path);
        return false;
    }

    bool examine_number(const Tree& schema, const Tree& value, const std::string* path) {
        const long double number = number_of(value);
        const auto against = [&](const char* name, const char* words, auto holds) {
            const Tree* limit = find(schema, name);
            return limit == nullptr || holds(number, number_of(*limit)) ||
                   fail(path, words + shown(*limit));
        };
        bool valid = against("minimum", "it is below ", [](auto a, auto b) { return a >= b; });
        valid = against("maximum", "it is above ", [](auto a, auto b) { return a <= b; }) && valid;
        valid =
            against("exclusiveMinimum", "it is not above ", [](auto a, auto b) { return a > b; }) &&
            valid;
        valid =
            against("exclusiveMaximum", "it is not below ", [](auto a, auto b) { return a < b; }) &&
            valid;
        if (const Tree* divisor = find(schema, "multipleOf");
            divisor != nullptr && !is_multiple(value, *divisor))
            valid = fail(path, "it is no multiple of " + shown(*divisor));
        return valid;
    }

    // `what` is counted: "character", "item", "member".
    bool examine_size(const Tree& schema, std::size_t size, const char* least, const char* most,
                      const char* what, const std::string* path) {
        bool valid = true;
        const auto has = "it has " + base::counted(static_cast<std::int64_t>(size), what);
        const auto number = static_cast<long double>(size);
        if (const Tree* limit = find(schema, least); limit && number < number_of(*limit))
            valid = fail(path, has + ", fewer than " + shown(*limit));
        if (const Tree* limit = find(schema, most); limit && number > number_of(*limit))
            valid = fail(path, has + ", more than " + shown(*limit));
        return valid;
    }

    bool matches(const std::string& pattern, const std::string& text) const {
        return RE2::PartialMatch(text, *parts_.patterns.at(pattern));
    }

    bool examine_text(const Tree& schema, const std::string& text, const std::string* path) {
        bool valid =
            examine_size(schema, characters_in(text), "minLength", "maxLength", "character", path);
        if (const Tree* pattern = find(schema, "pattern");
            pattern && !matches(pattern->get<std::string>(), text))
            valid = fail(path, "it does not match " + shown(*pattern));
        return valid;
    }

    bool examine_array(const Tree& schema, const Tree& value, const std::string* path) {
        bool valid = examine_size(schema, value.size(), "minItems", "maxItems", "item", path);
        const Tree* items = find(schema, "items");
        const Tree* first = find(schema, "prefixItems");
        const Tree* others = items;
        if (first == nullptr && items != nullptr && items->is_array()) {  // as in draft 7
            first = items;
            others = find(schema, "additionalItems");
        }
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (!valid && (path == nullptr || problems_.size() == most_problems)) return false;
            const Tree* one = first != nullptr && i < first->size() ? &(*first)[i] : others;
            if (one != nullptr)
                valid = enter(*one, value[i], path, "[" + std::to_string(i) + "]") && valid;
        }
        if (const Tree* flag = find(schema, "uniqueItems"); flag && flag->get<bool>()) {
            const auto before = [](const Tree* a, const Tree* b) { return *a < *b; };
            std::set<const Tree*, decltype(before)> seen(before);
            for (const Tree& each : value)
                if (!seen.insert(&each).second)
                    return fail(path, "it holds " + shown(each) + " twice");
        }
        if (const Tree* one = find(schema, "contains")) {
            const std::size_t found = count_in(*one, value);
            const Tree* least = find(schema, "minContains");
            const Tree* most = find(schema, "maxContains");
            const auto number = static_cast<long double>(found);
            if (number < (least ? number_of(*least) : 1) || (most && number > number_of(*most)))
                valid = fail(path, base::counted(static_cast<std::int64_t>(found), "item") +
                                       " of it match the schema of contains");
        }
        return valid;
    }
    std::size_t count_in(const Tree& schema, const Tree& array) {
        return static_cast<std::size_t>(std::count_if(
            array.begin(), array.end(), [&](const Tree& each) { return is_valid(schema, each); }));
    }

    bool require_names(const Tree& names, const Tree& value, const std::string* path) {
        bool valid = true;
        for (const Tree& name : names)
            if (!value.contains(name.get_ref<const std::string&>()))
                valid = fail(path, shown(name) + " is missing");
        return valid;
    }

    bool examine_object(const Tree& schema, const Tree& value, const std::string* path) {
        bool valid =
            examine_size(schema, value.size(), "minProperties", "maxProperties", "member", path);
        if (const Tree* names = find(schema, "required"))
            valid = require_names(*names, value, path) && valid;
        for (const char* keyword : {"dependencies", "dependentRequired", "dependentSchemas"})
            if (const Tree* all = find(schema, keyword))
                for (const auto& [name, each] : all->items())
                    if (value.contains(name))
                        valid = (each.is_array() ? require_names(each, value, path)
                                                 : enter(each, value, path, "")) &&
                                valid;
        const Tree* properties = find(schema, "properties");
        const Tree* patterns = find(schema, "patternProperties");
        const Tree* others = find(schema, "additionalProperties");
        const Tree* names = find(schema, "propertyNames");
        for (const auto& [name, each] : value.items()) {
            if (!valid && (path == nullptr || problems_.size() == most_problems)) return false;
            const std::string step = (path == nullptr || path->empty() ? "" : ".") + name;
            bool is_named = false;
            if (properties != nullptr)
                if (const auto one = properties->find(name); one != properties->end()) {
                    is_named = true;
                    valid = enter(*one, each, path, step) && valid;
                }
            if (patterns != nullptr)
                for (const auto& [pattern, one] : patterns->items())
                    if (matches(pattern, name)) {
                        is_named = true;
                        valid = enter(one, each, path, step) && valid;
                    }
            if (!is_named && others != nullptr) valid = enter(*others, each, path, step) && valid;
            if (names != nullptr && !is_valid_name(*names, name))
                valid = fail(path, "the name " + shown(name) + " is not allowed");
        }
        return valid;
    }

    // A name is no value of the answer, whose places are remembered.
    bool is_valid_name(const Tree& schema, const std::string& name) const {
        const Tree value = name;
        return AnswerCheck(parts_).is_valid(schema, value);
    }

    const SchemaParts& parts_;
    std::map<std::pair<const Tree*, const Tree*>, bool> judged_;
    std::vector<std::string> problems_;
};

// Without the blanks between its parts. The order of an object's members is kept: models answer in
// it.
std::string compact(std::string_view json) {
    std::string text;
    bool in_string = false;
    bool is_escaped = false;
    for (const char c : base::without_bom(json)) {
        if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) continue;
        text += c;
        if (c == '"' && !is_escaped) in_string = !in_string;
        is_escaped = in_string && c == '\\' && !is_escaped;
    }
    return text;
}

std::string_view without_fence(std::string_view text) {
    constexpr std::string_view fence = "```";
    text = base::trim(base::without_bom(base::trim(text)));
    if (!text.starts_with(fence) || !text.ends_with(fence) || text.size() < 2 * fence.size())
        return text;
    const std::size_t line = text.find('\n');
    if (line == text.npos) return text;
    return base::trim(text.substr(line + 1, text.size() - fence.size() - line - 1));
}

}  // namespace

struct AnswerSchema::Compiled {
    std::string json;
    Tree tree;
    SchemaParts parts;
};

AnswerSchema::AnswerSchema(std::string_view json, const std::string& what) {
    auto compiled = std::make_unique<Compiled>();
    chat::require_json(json, what, base::limits::json_bytes, base::ErrorCode::bad_request);
    compiled->json = compact(json);
    compiled->tree = Tree::parse(json);
    compiled->parts = read_schema(compiled->tree, what);
    compiled_ = std::move(compiled);
}

AnswerSchema::~AnswerSchema() = default;

const std::string& AnswerSchema::json() const {
    return compiled_->json;
}

CheckedAnswer AnswerSchema::check(std::string_view answer) const {
    CheckedAnswer checked{std::string(without_fence(answer)), ""};
    Tree value;
    try {
        chat::require_json(checked.json, "the answer", base::limits::answer_bytes,
                           base::ErrorCode::failed);
        value = Tree::parse(checked.json);
    } catch (const std::exception& error) {
        checked.problem = error.what();
        return checked;
    }
    AnswerCheck check(compiled_->parts);
    if (check.is_valid(compiled_->tree, value)) return checked;
    check.explain(compiled_->tree, value, "");
    checked.problem = base::visible(check.problems(), base::Newlines::escape);
    return checked;
}

}  // namespace chorus::model
