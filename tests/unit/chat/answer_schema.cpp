#include "chat/answer_schema.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace chorus::chat {
namespace {

std::string refusal_of(std::string_view schema) {
    try {
        (void)AnswerSchema(schema, "s");
    } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::ErrorCode::bad_request);
        return error.message();
    }
    return "";
}

std::string problem_of(std::string_view schema, std::string_view answer) {
    return AnswerSchema(schema, "s").check(answer).problem;
}

constexpr std::string_view person = R"({
    "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A person",
    "type": "object", "required": ["name", "age"], "additionalProperties": false,
    "properties": {
        "name": {"type": "string", "minLength": 2, "pattern": "^[A-Zä]"},
        "age": {"type": "integer", "minimum": 0},
        "pattern": {"type": "string", "format": "date"},
        "children": {"type": "array", "items": {"$ref": "#"}, "maxItems": 2},
        "home": {"$ref": "#/$defs/home", "description": "where"}
    },
    "$defs": {"home": {"enum": ["here", "there", null]}}
})";

TEST(AnswerSchema, AcceptsWhatMatchesAndTakesTheFenceAway) {
    const AnswerSchema schema(person, "s");
    for (const char* answer :
         {R"({"name":"Ada","age":36})", R"({"name":"äh","age":1,"home":null,"pattern":"any"})",
          R"({"name":"Ada","age":36,"children":[{"name":"Bo","age":3,"children":[]}]})"})
        EXPECT_EQ(schema.check(answer).problem, "") << answer;
    for (const char* answer :
         {"```json\n{\"name\":\"Ada\",\"age\":36}\n```", "\n\n{\"name\":\"Ada\",\"age\":36}\n",
          "```\n{\"name\":\"Ada\",\"age\":36}```"}) {
        const CheckedAnswer checked = schema.check(answer);
        EXPECT_EQ(checked.problem, "") << answer;
        EXPECT_EQ(checked.json, R"({"name":"Ada","age":36})");
    }
}

TEST(AnswerSchema, SaysWhatDoesNotMatchAndWhere) {
    const AnswerSchema schema(person, "s");
    const auto problem = [&](const char* answer) { return schema.check(answer).problem; };
    EXPECT_NE(problem("Here you are: {}").find("the answer: "), std::string::npos);
    EXPECT_NE(problem("").find("the answer: "), std::string::npos);
    EXPECT_NE(problem(R"({"name":"Ada","age":36,"age":37})").find("the answer: "),
              std::string::npos);
    EXPECT_NE(problem(R"({"name":"Ada"})").find("age"), std::string::npos);
    EXPECT_NE(problem(R"({"name":"Ada","age":"36"})").find("age"), std::string::npos);
    EXPECT_NE(problem(R"({"name":"bo","age":3})").find("it does not match ^[A-Zä]"),
              std::string::npos);
    EXPECT_NE(problem(R"({"name":"A","age":3})"), "");
    EXPECT_NE(problem(R"({"name":"Ada","age":-1})"), "");
    EXPECT_NE(problem(R"({"name":"Ada","age":1,"home":"away"})"), "");
    EXPECT_NE(problem(R"({"name":"Ada","age":1,"other":1})"), "");
    EXPECT_NE(problem(R"({"name":"Ada","age":1,"children":[{"name":"Bo"}]})").find("children"),
              std::string::npos);
    EXPECT_NE(problem("[]"), "");
}

TEST(AnswerSchema, AReferenceHoldsBesideOtherKeywords) {
    constexpr std::string_view schema =
        R"({"$ref":"#/$defs/a","maxLength":2,"$defs":{"a":{"type":"string"}}})";
    EXPECT_EQ(problem_of(schema, "\"ab\""), "");
    EXPECT_NE(problem_of(schema, "\"abc\""), "");
    EXPECT_NE(problem_of(schema, "12"), "");
}

TEST(AnswerSchema, ALongStringAndAHardPatternTakeNoTime) {
    const std::string text = "\"" + std::string(2'000'000, 'a') + "!\"";
    EXPECT_NE(problem_of(R"({"type":"string","pattern":"^(a+)+$"})", text), "");
    EXPECT_EQ(problem_of(R"({"type":"string","format":"date-time"})", text), "");
}

TEST(AnswerSchema, RefusesWhatIsNoSchemaOrCannotBeChecked) {
    for (
        const auto& [schema, why] :
        {std::pair("{", "s"),
         {"[]", "s: #: a schema is an object"},
         {"5", "s: #: a schema is"},
         {"true", "s: it accepts anything"},
         {"{}", "s: it accepts anything"},
         {R"({"title":"x","$defs":{"a":{"type":"string"}}})", "s: it accepts anything"},
         {"false", "s: it accepts nothing"},
         {R"({"type":"strin"})", "s: not a JSON Schema"},
         {R"({"type":5})", "s: not a JSON Schema"},
         {R"({"properties":[]})", "s: #/properties: expected an object"},
         {R"({"allOf":{}})", "s: #/allOf: expected a list"},
         {R"({"properties":{"a":5}})", "s: #/properties/a: a schema is"},
         {R"({"$ref":"https://example.com/s.json"})",
          "s: #: $ref: 'https://example.com/s.json' is not"},
         {R"({"$ref":"file:///etc/passwd"})", "s: #: $ref: "},
         {R"({"$ref":"other.json#/a"})", "s: #: $ref: "},
         {R"({"$ref":5})", "s: #: $ref: expected text"},
         {R"({"$ref":"#/$defs/none"})", "s: $ref: there is no #/$defs/none"},
         {R"({"$ref":"#"})", "it refers to itself without end"},
         {R"({"allOf":[{"anyOf":[{"$ref":"#"}]}]})", "it refers to itself without end"},
         {R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}}})",
          "it refers to itself without end"},
         {R"({"type":"array","prefixItems":[]})",
          "s: #/prefixItems: this keyword is not supported"},
         {R"({"patternProperties":{"^a":{}}})", "s: #/patternProperties: this"},
         {"{\"properties\":{\"a\":{\"pattern\":\"(?=x)\"}}}",
          "s: #/properties/a/pattern: a regular"},
         {R"({"pattern":5})", "s: #/pattern: expected"},
         {R"({"minLength":"x"})", "s: not a JSON Schema"}})
        EXPECT_NE(refusal_of(schema).find(why), std::string::npos)
            << schema << ": " << refusal_of(schema);
}

TEST(AnswerSchema, NestsAsDeepAsJsonMay) {
    std::string schema =
        R"({"type":"object","properties":{"a":{"$ref":"#"}},"additionalProperties":false})";
    std::string answer = "{}";
    for (int i = 0; i < 60; ++i) answer = "{\"a\":" + answer + "}";
    EXPECT_EQ(problem_of(schema, answer), "");
    for (int i = 0; i < 60; ++i) answer = "{\"a\":" + answer + "}";
    EXPECT_NE(problem_of(schema, answer), "");
}

}  // namespace
}  // namespace chorus::chat
