#include "chat/answer_schema.hpp"

#define VALIJSON_USE_EXCEPTIONS 1  // it would abort

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <set>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"

namespace chorus::chat {
namespace {

using Tree = nlohmann::json;
using Pointer = Tree::json_pointer;
using ViewOfTree = valijson::adapters::NlohmannJsonAdapter;

// In place of `pattern`: valijson uses std::regex, which overflows the stack on long strings.
constexpr const char* own_pattern = "x-chorus-pattern";
constexpr std::size_t most_errors = 5;

constexpr std::array<std::string_view, 7> with_one_schema{
    "additionalItems", "additionalProperties", "contains", "else", "if", "not", "propertyNames"};
constexpr std::array<std::string_view, 3> with_schema_list{"allOf", "anyOf", "oneOf"};
constexpr std::array<std::string_view, 3> with_schemas_by_name{"$defs", "definitions",
                                                               "properties"};
constexpr std::array<std::string_view, 16> with_values{
    "const",         "enum",          "exclusiveMaximum", "exclusiveMinimum", "maxItems",
    "maxLength",     "maxProperties", "maximum",          "minItems",         "minLength",
    "minProperties", "minimum",       "multipleOf",       "required",         "type",
    "uniqueItems"};
constexpr std::array<std::string_view, 12> unsupported{
    "$anchor",           "$dynamicRef", "$recursiveRef",    "dependentRequired",
    "dependentSchemas",  "divisibleBy", "maxContains",      "minContains",
    "patternProperties", "prefixItems", "unevaluatedItems", "unevaluatedProperties"};

template <std::size_t size>
bool is_in(const std::array<std::string_view, size>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void refuse_schema(const std::string& what, const std::string& why) {
    throw base::Error(base::ErrorCode::bad_request, what + ": " + why);
}

// Rewrites a schema to what valijson checks as draft 7, and notes where each part of it is.
class Rewriter {
  public:
    explicit Rewriter(const std::string& what) : what_(what) {}

    Tree rewrite(const Tree& schema, const Pointer& at) {
        places_.push_back(at);
        if (schema.is_boolean()) return schema;
        if (!schema.is_object()) refuse(at, "a schema is an object, true or false");
        Tree out = Tree::object();
        for (const auto& [name, value] : schema.items()) add(out, name, value, at / name);
        if (schema.contains("then")) out["then"] = rewrite(schema["then"], at / "then");
        if (schema.contains("$ref")) {
            check_reference(schema["$ref"], at);
            // beside other keywords, draft 7 would ignore these
            out["allOf"].push_back({{"$ref", schema["$ref"]}});
        }
        return out;
    }
    const std::vector<Pointer>& places() const { return places_; }

  private:
    [[noreturn]] void refuse(const Pointer& at, const std::string& why) const {
        refuse_schema(what_, "#" + at.to_string() + ": " + why);
    }

    void add(Tree& out, const std::string& name, const Tree& value, const Pointer& at) {
        if (is_in(unsupported, name)) refuse(at, "this keyword is not supported");
        if (is_in(with_values, name)) {
            out[name] = value;
        } else if (is_in(with_one_schema, name)) {
            out[name] = rewrite(value, at);
        } else if (is_in(with_schema_list, name) || (name == "items" && value.is_array())) {
            if (!value.is_array()) refuse(at, "expected a list of schemas");
            out[name] = Tree::array();
            for (std::size_t i = 0; i < value.size(); ++i)
                out[name].push_back(rewrite(value[i], at / i));
        } else if (name == "items") {
            out[name] = rewrite(value, at);
        } else if (is_in(with_schemas_by_name, name) || name == "dependencies") {
            if (!value.is_object()) refuse(at, "expected an object of schemas");
            out[name] = Tree::object();
            for (const auto& [each, inner] : value.items())
                out[name][each] = inner.is_array() ? inner : rewrite(inner, at / each);
        } else if (name == "pattern") {
            add_pattern(out, value, at);
        }
        // all other keywords are annotations
    }

    void add_pattern(Tree& out, const Tree& value, const Pointer& at) const {
        if (!value.is_string()) refuse(at, "expected a regular expression");
        const RE2 pattern(value.get<std::string>(), RE2::Quiet);
        if (!pattern.ok()) refuse(at, "a regular expression of RE2: " + pattern.error());
        out[own_pattern] = value;
    }

    void check_reference(const Tree& reference, const Pointer& at) const {
        if (!reference.is_string()) refuse(at, "$ref: expected text");
        const auto text = reference.get<std::string>();
        if (text != "#" && !text.starts_with("#/"))
            refuse(at,
                   "$ref: " + base::quoted(text) + " is not inside the schema, as \"#/$defs/x\"");
    }

    const std::string& what_;
    std::vector<Pointer> places_;
};

// Finds schemas that apply to a value only if they apply to it: they would be checked for ever.
class Recursion {
  public:
    Recursion(const Tree& root, const std::string& what) : root_(root), what_(what) {}

    void follow(const Pointer& at) {
        const std::string place = at.to_string();
        if (done_.contains(place)) return;
        if (!open_.insert(place).second)
            refuse_schema(what_, "#" + place + ": it refers to itself without end");
        if (!root_.contains(at)) refuse_schema(what_, "$ref: there is no #" + place);
        const Tree& schema = root_.at(at);
        if (schema.is_object()) {
            for (const char* one : {"not", "if", "then", "else"})
                if (schema.contains(one)) follow(at / one);
            for (const std::string_view list : with_schema_list)
                for (std::size_t i = 0; i < member_of(schema, list).size(); ++i)
                    follow(at / std::string(list) / i);
            for (const auto& [name, inner] : member_of(schema, "dependencies").items())
                if (!inner.is_array()) follow(at / "dependencies" / name);
            if (schema.contains("$ref"))
                follow(Pointer(unescaped(schema["$ref"].get<std::string>().substr(1))));
        }
        open_.erase(place);
        done_.insert(place);
    }

  private:
    static const Tree& member_of(const Tree& schema, std::string_view name) {
        static const Tree none = Tree::object();
        const auto found = schema.find(std::string(name));
        return found == schema.end() ? none : *found;
    }
    std::string unescaped(const std::string& pointer) const {
        if (pointer.find('%') != pointer.npos)
            refuse_schema(what_, "$ref: #" + pointer + ": write it without %");
        return pointer;
    }

    const Tree& root_;
    const std::string& what_;
    std::set<std::string> open_;
    std::set<std::string> done_;
};

class MatchesPattern final : public valijson::constraints::PolyConstraint {
  public:
    explicit MatchesPattern(const std::string& pattern)
        : pattern_(std::make_shared<const RE2>(pattern, RE2::Quiet)) {}

    bool validate(const valijson::adapters::Adapter& value, const std::vector<std::string>& context,
                  valijson::ValidationResults* results) const override {
        if (!value.isString() || RE2::PartialMatch(value.asString(), *pattern_)) return true;
        if (results) results->pushError(context, "it does not match " + pattern_->pattern());
        return false;
    }

  private:
    Constraint* cloneInto(void* memory) const override {
        return new (memory) MatchesPattern(*this);
    }
    std::size_t sizeOf() const override { return sizeof *this; }

    std::shared_ptr<const RE2> pattern_;
};

class PatternBuilder final : public valijson::ConstraintBuilder {
  public:
    valijson::constraints::Constraint* make(
        const valijson::adapters::Adapter& value) const override {
        return new MatchesPattern(value.asString());
    }
};

std::string_view without_fence(std::string_view text) {
    constexpr std::string_view fence = "```";
    text = base::trim(text);
    if (!text.starts_with(fence) || !text.ends_with(fence) || text.size() < 2 * fence.size())
        return text;
    const std::size_t line = text.find('\n');
    if (line == text.npos) return text;
    return base::trim(text.substr(line + 1, text.size() - fence.size() - line - 1));
}

// "<root>", "[a]", "[0]" → "a[0]"
std::string path_of(const std::vector<std::string>& context) {
    std::string path;
    for (std::size_t i = 1; i < context.size(); ++i) path += context[i];
    return path.empty() ? "the value" : path;
}

}  // namespace

struct AnswerSchema::Compiled {
    std::string json;
    Tree tree;  // which the schema refers to
    valijson::Schema schema;
};

AnswerSchema::AnswerSchema(std::string_view json, const std::string& what) {
    const std::string compact = dump(parse_json(
        json, what, DuplicateKeys::refuse, base::limits::json_bytes, base::ErrorCode::bad_request));
    const Tree given = Tree::parse(compact);
    if (given == true) refuse_schema(what, "it accepts anything");
    if (given == false) refuse_schema(what, "it accepts nothing");
    Rewriter rewriter(what);
    auto compiled = std::make_unique<Compiled>();
    compiled->json = compact;
    compiled->tree = rewriter.rewrite(given, Pointer());
    const bool has_rule = std::any_of(
        compiled->tree.items().begin(), compiled->tree.items().end(),
        [](const auto& each) { return each.key() != "$defs" && each.key() != "definitions"; });
    if (!has_rule) refuse_schema(what, "it accepts anything");
    Recursion recursion(compiled->tree, what);
    for (const Pointer& place : rewriter.places()) recursion.follow(place);
    try {
        valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
        parser.addConstraintBuilder(own_pattern, new PatternBuilder);  // which it deletes
        parser.populateSchema(ViewOfTree(compiled->tree), compiled->schema);
    } catch (const std::exception& error) {
        refuse_schema(what, std::string("not a JSON Schema: ") + error.what());
    }
    compiled_ = std::move(compiled);
}

AnswerSchema::~AnswerSchema() = default;
AnswerSchema::AnswerSchema(AnswerSchema&&) noexcept = default;
AnswerSchema& AnswerSchema::operator=(AnswerSchema&&) noexcept = default;

const std::string& AnswerSchema::json() const {
    return compiled_->json;
}

CheckedAnswer AnswerSchema::check(std::string_view answer) const {
    CheckedAnswer checked;
    checked.json = without_fence(answer);
    try {
        (void)parse_json(checked.json, "the answer", DuplicateKeys::refuse,
                         base::limits::answer_bytes);
        const Tree value = Tree::parse(checked.json);
        valijson::Validator validator;
        valijson::ValidationResults results;
        if (validator.validate(compiled_->schema, ViewOfTree(value), &results)) return checked;
        valijson::ValidationResults::Error error;
        for (std::size_t i = 0; i < most_errors && results.popError(error); ++i)
            checked.problem +=
                (i == 0 ? "" : "; ") + path_of(error.context) + ": " + error.description;
    } catch (const std::exception& error) {
        checked.problem = error.what();
    }
    if (checked.problem.empty()) checked.problem = "the value does not match";
    return checked;
}

}  // namespace chorus::chat
