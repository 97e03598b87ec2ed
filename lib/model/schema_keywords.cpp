#include "model/schema_keywords.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace chorus::model {
namespace {

enum class Operand {
    schema,
    schemas,  // a list
    schemas_by_name,
    schema_or_list,  // items
    dependencies,    // schemas or lists of names, by name
    names,
    names_by_name,
    count,
    number,
    divisor,
    flag,
    type,
    list,
    pattern,
    patterns,  // schemas by pattern
    reference,
    any,
    refused,
};

struct Keyword {
    std::string_view name;
    Operand operand;
    bool in_place = false;  // the schemas apply to the value itself
};

constexpr std::array keywords{
    Keyword{"$anchor", Operand::refused},
    Keyword{"$defs", Operand::schemas_by_name},
    Keyword{"$dynamicRef", Operand::refused},
    Keyword{"$recursiveRef", Operand::refused},
    Keyword{"$ref", Operand::reference},
    Keyword{"additionalItems", Operand::schema},
    Keyword{"additionalProperties", Operand::schema},
    Keyword{"allOf", Operand::schemas, true},
    Keyword{"anyOf", Operand::schemas, true},
    Keyword{"const", Operand::any},
    Keyword{"contains", Operand::schema},
    Keyword{"definitions", Operand::schemas_by_name},
    Keyword{"dependencies", Operand::dependencies, true},
    Keyword{"dependentRequired", Operand::names_by_name},
    Keyword{"dependentSchemas", Operand::schemas_by_name, true},
    Keyword{"else", Operand::schema, true},
    Keyword{"enum", Operand::list},
    Keyword{"exclusiveMaximum", Operand::number},
    Keyword{"exclusiveMinimum", Operand::number},
    Keyword{"if", Operand::schema, true},
    Keyword{"items", Operand::schema_or_list},
    Keyword{"maxContains", Operand::count},
    Keyword{"maxItems", Operand::count},
    Keyword{"maxLength", Operand::count},
    Keyword{"maxProperties", Operand::count},
    Keyword{"maximum", Operand::number},
    Keyword{"minContains", Operand::count},
    Keyword{"minItems", Operand::count},
    Keyword{"minLength", Operand::count},
    Keyword{"minProperties", Operand::count},
    Keyword{"minimum", Operand::number},
    Keyword{"multipleOf", Operand::divisor},
    Keyword{"not", Operand::schema, true},
    Keyword{"oneOf", Operand::schemas, true},
    Keyword{"pattern", Operand::pattern},
    Keyword{"patternProperties", Operand::patterns},
    Keyword{"prefixItems", Operand::schemas},
    Keyword{"properties", Operand::schemas_by_name},
    Keyword{"propertyNames", Operand::schema},
    Keyword{"required", Operand::names},
    Keyword{"then", Operand::schema, true},
    Keyword{"type", Operand::type},
    Keyword{"unevaluatedItems", Operand::refused},
    Keyword{"unevaluatedProperties", Operand::refused},
    Keyword{"uniqueItems", Operand::flag},
};

const Keyword* find_keyword(std::string_view name) {
    const auto* const found = std::find_if(keywords.begin(), keywords.end(),
                                           [&](const Keyword& each) { return each.name == name; });
    return found == keywords.end() ? nullptr : found;
}

bool is_list_of_names(const Tree& value) {
    return value.is_array() &&
           std::all_of(value.begin(), value.end(), [](const Tree& e) { return e.is_string(); });
}

bool is_whole(const Tree& value) {
    if (value.is_number_integer()) return value.is_number_unsigned() || value >= 0;
    return value.is_number() && value >= 0 &&
           value.get<double>() == std::floor(value.get<double>());
}

bool names_types(const Tree& value) {
    constexpr std::array<std::string_view, 7> types{"array",  "boolean", "integer", "null",
                                                    "number", "object",  "string"};
    const Tree list = value.is_array() ? value : Tree::array({value});
    return is_list_of_names(list) && std::all_of(list.begin(), list.end(), [&](const Tree& name) {
               return std::find(types.begin(), types.end(), name.get<std::string>()) != types.end();
           });
}

// A step of a JSON Pointer.
std::string step_to(std::string_view name) {
    std::string step = "/";
    for (const char c : name) {
        if (c == '~')
            step += "~0";
        else if (c == '/')
            step += "~1";
        else
            step += c;
    }
    return step;
}

class Reader {
  public:
    Reader(const Tree& root, const std::string& what) : root_(root), what_(what) {}

    SchemaParts read() {
        schema(root_, "#");
        if (root_ == false) refuse_whole("it accepts nothing");
        if (!has_rule_) refuse_whole("it accepts anything");
        for (const auto& [owner, place] : pending_) resolve(*owner, place);
        for (const auto& [place, each] : places_) follow(*each, place, 0);
        return std::move(parts_);
    }

  private:
    [[noreturn]] void refuse_whole(const std::string& why) const {
        throw base::Error(base::ErrorCode::bad_request, what_ + ": " + why);
    }
    [[noreturn]] void refuse_at(const std::string& place, const std::string& why) const {
        refuse_whole(base::visible(place, base::Newlines::escape) + ": " + why);
    }
    void require(bool holds, const std::string& place, const char* expected) const {
        if (!holds) refuse_at(place, std::string("expected ") + expected);
    }

    void schema(const Tree& value, const std::string& place) {
        places_[place] = &value;
        if (value.is_boolean()) return;
        if (!value.is_object()) refuse_at(place, "a schema is an object, true or false");
        for (const auto& [name, operand] : value.items()) {
            const Keyword* keyword = find_keyword(name);
            if (keyword == nullptr) continue;  // an annotation
            read(*keyword, value, operand, place + step_to(name));
            if (&value == &root_ && name != "$defs" && name != "definitions") has_rule_ = true;
        }
    }

    void by_name(const Tree& value, const std::string& place) {
        require(value.is_object(), place, "an object of schemas");
        for (const auto& [name, each] : value.items()) schema(each, place + step_to(name));
    }
    void list(const Tree& value, const std::string& place) {
        require(value.is_array(), place, "a list of schemas");
        for (std::size_t i = 0; i < value.size(); ++i)
            schema(value[i], place + "/" + std::to_string(i));
    }
    void pattern(const std::string& text, const std::string& place) {
        if (parts_.patterns.contains(text)) return;
        auto compiled = std::make_unique<const RE2>(text, RE2::Quiet);
        if (!compiled->ok())
            refuse_at(place, "not a regular expression of RE2: " + compiled->error());
        parts_.patterns.emplace(text, std::move(compiled));
    }
    void dependency(const Tree& value, const std::string& place) {
        if (!value.is_array()) return schema(value, place);
        require(is_list_of_names(value), place, "a schema or a list of names");
    }

    void read(const Keyword& keyword, const Tree& owner, const Tree& value,
              const std::string& place) {
        switch (keyword.operand) {
            case Operand::schema:
                return schema(value, place);
            case Operand::schemas:
                return list(value, place);
            case Operand::schemas_by_name:
                return by_name(value, place);
            case Operand::schema_or_list:
                return value.is_array() ? list(value, place) : schema(value, place);
            case Operand::dependencies:
                require(value.is_object(), place, "an object");
                for (const auto& [name, each] : value.items())
                    dependency(each, place + step_to(name));
                return;
            case Operand::names:
                return require(is_list_of_names(value), place, "a list of names");
            case Operand::names_by_name:
                require(value.is_object(), place, "an object of lists of names");
                for (const auto& [name, each] : value.items())
                    require(is_list_of_names(each), place + step_to(name), "a list of names");
                return;
            case Operand::count:
                return require(is_whole(value), place, "a whole number, 0 or more");
            case Operand::number:
                return require(value.is_number(), place, "a number");
            case Operand::divisor:
                return require(value.is_number() && value.get<double>() > 0, place,
                               "a number above 0");
            case Operand::flag:
                return require(value.is_boolean(), place, "true or false");
            case Operand::type:
                return require(names_types(value), place,
                               "array, boolean, integer, null, number, object, string, or a list");
            case Operand::list:
                return require(value.is_array() && !value.empty(), place, "a list of values");
            case Operand::pattern:
                require(value.is_string(), place, "a regular expression");
                return pattern(value.get<std::string>(), place);
            case Operand::patterns:
                by_name(value, place);
                for (const auto& [text, unused] : value.items()) pattern(text, place);
                return;
            case Operand::reference:
                require(value.is_string(), place, "text");
                pending_.emplace_back(&owner, place);
                return;
            case Operand::any:
                return;
            case Operand::refused:
                refuse_at(place, "this keyword is not supported");
        }
    }

    void resolve(const Tree& owner, const std::string& place) {
        const auto text = owner["$ref"].get<std::string>();
        if (text != "#" && !text.starts_with("#/"))
            refuse_at(place, base::quoted(text) + " is not inside the schema, as \"#/$defs/x\"");
        const auto target = places_.find(unescaped(text));
        if (target == places_.end()) refuse_at(place, "there is no schema " + base::quoted(text));
        parts_.references[&owner] = target->second;
    }
    // A reference is a part of a URL.
    static std::string unescaped(std::string text) {
        for (const auto& [escape, plain] : {std::pair("%24", "$"), {"%20", " "}, {"%25", "%"}})
            for (std::size_t at = 0; (at = text.find(escape, at)) != text.npos; ++at)
                text.replace(at, std::string_view(escape).size(), plain);
        return text;
    }

    // Finds schemas that apply to a value only if they apply to it, which would be checked for
    // ever. Returns how many schemas of one value are nested.
    int follow(const Tree& value, const std::string& place, int above) {
        constexpr int most = 100;
        if (!value.is_object()) return 0;
        if (const auto known = depths_.find(&value); known != depths_.end()) return known->second;
        if (!open_.insert(&value).second) refuse_at(place, "it refers to itself without end");
        int depth = 0;
        const auto enter = [&](const Tree& inner, const std::string& at) {
            depth = std::max(depth, follow(inner, at, above + 1) + 1);
            if (std::max(depth, above) > most)
                refuse_at(at, "more than 100 schemas apply to one value, one within another");
        };
        for (const auto& [name, operand] : value.items()) {
            const Keyword* keyword = find_keyword(name);
            if (keyword == nullptr || !keyword->in_place) continue;
            if (keyword->operand == Operand::schema)
                enter(operand, place + step_to(name));
            else
                for (const Tree& each : operand) enter(each, place + step_to(name));
        }
        if (const auto target = parts_.references.find(&value); target != parts_.references.end())
            enter(*target->second, place + "/$ref");
        open_.erase(&value);
        depths_[&value] = depth;
        return depth;
    }

    const Tree& root_;
    const std::string& what_;
    bool has_rule_ = false;
    SchemaParts parts_;
    std::map<std::string, const Tree*> places_;
    std::vector<std::pair<const Tree*, std::string>> pending_;
    std::set<const Tree*> open_;
    std::map<const Tree*, int> depths_;
};

}  // namespace

SchemaParts read_schema(const Tree& root, const std::string& what) {
    return Reader(root, what).read();
}

}  // namespace chorus::model
