#include "model/answer_schema.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.hpp"

namespace chorus::model {
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
    EXPECT_NE(problem(R"({"name":"bo","age":3})").find("it does not match \"^[A-Zä]\""),
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
    const std::vector<std::pair<std::string, std::string>> refused{
        {"{", "s: "},
        {"[]", "s: #: a schema is an object"},
        {"5", "s: #: a schema is"},
        {"true", "s: it accepts anything"},
        {"{}", "s: it accepts anything"},
        {R"({"title":"x","$defs":{"a":{"type":"string"}}})", "s: it accepts anything"},
        {"false", "s: it accepts nothing"},
        {R"({"type":"strin"})", "s: #/type: expected array, boolean"},
        {R"({"type":5})", "s: #/type: expected"},
        {R"({"type":["string",5]})", "s: #/type: expected"},
        {R"({"properties":[]})", "s: #/properties: expected an object"},
        {R"({"allOf":{}})", "s: #/allOf: expected a list"},
        {R"({"enum":[]})", "s: #/enum: expected a list"},
        {R"({"required":"a"})", "s: #/required: expected a list of names"},
        {R"({"uniqueItems":1})", "s: #/uniqueItems: expected true or false"},
        {R"({"properties":{"a":5}})", "s: #/properties/a: a schema is"},
        {R"({"multipleOf":0})", "s: #/multipleOf: expected a number above 0"},
        {R"({"multipleOf":-1})", "s: #/multipleOf: expected a number above 0"},
        {R"({"minLength":"x"})", "s: #/minLength: expected a whole number"},
        {R"({"minLength":-1})", "s: #/minLength: expected a whole number"},
        {R"({"$ref":"https://example.com/s.json"})", "s: #/$ref: 'https://example.com/s.json' is"},
        {R"({"$ref":"file:///etc/passwd"})", "s: #/$ref: "},
        {R"({"$ref":"other.json#/a"})", "s: #/$ref: "},
        {R"({"$ref":5})", "s: #/$ref: expected text"},
        {R"({"$ref":"#/$defs/none"})", "s: #/$ref: there is no schema '#/$defs/none'"},
        {R"({"$ref":"#/title","title":{}})", "s: #/$ref: there is no schema"},
        {R"({"$ref":"#"})", "it refers to itself without end"},
        {R"({"allOf":[{"anyOf":[{"$ref":"#"}]}]})", "it refers to itself without end"},
        {R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}}})",
         "it refers to itself without end"},
        {R"({"unevaluatedItems":false})", "s: #/unevaluatedItems: this keyword is not supported"},
        {"{\"properties\":{\"a\":{\"pattern\":\"(?=x)\"}}}", "s: #/properties/a/pattern: not a"},
        {R"({"patternProperties":{"(":{}}})", "s: #/patternProperties: not a regular"},
        {R"({"pattern":5})", "s: #/pattern: expected"}};
    for (const auto& [schema, why] : refused)
        EXPECT_NE(refusal_of(schema).find(why), std::string::npos)
            << schema << ": " << refusal_of(schema);
    std::string chain = R"({"$ref":"#/$defs/d0","$defs":{"d200":{"type":"null"})";
    for (int i = 0; i < 200; ++i)
        chain +=
            ",\"d" + std::to_string(i) + R"(":{"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
    EXPECT_NE(refusal_of(chain + "}}").find("more than 100 schemas"), std::string::npos);
}

TEST(AnswerSchema, JudgesEveryKeyword) {
    struct Case {
        std::string schema;
        std::vector<std::string> valid;
        std::vector<std::string> invalid;
    };
    const std::vector<Case> cases{
        {R"({"type":"integer"})",
         {"1", "1.0", "1e2", "18446744073709551616", "-0.0"},
         {"1.5", "\"1\"", "true"}},
        {R"({"type":["string","null"]})", {"null", "\"\""}, {"0", "[]"}},
        {R"({"type":"number","multipleOf":0.01})", {"19.99", "0", "1e3"}, {"19.995"}},
        {R"({"multipleOf":2})",
         {"4.0", "-2", "\"x\"", "9223372036854775806"},
         {"3", "3.0", "9223372036854775807"}},
        {R"({"minimum":9007199254740993})", {"9007199254740993"}, {"9007199254740992"}},
        {R"({"exclusiveMinimum":0,"exclusiveMaximum":1})", {"0.5"}, {"0", "1"}},
        {R"({"maximum":-1})", {"-1"}, {"0", "18446744073709551615"}},
        {R"({"const":{"a":[1,null]}})", {R"({"a":[1.0,null]})"}, {R"({"a":[1]})"}},
        {R"({"enum":["a",2,null]})", {"2", "null"}, {"\"b\"", "false"}},
        {"{\"maxLength\":2,\"minLength\":1}", {"\"äö\"", "\"\\u0000\""}, {"\"\"", "\"a\\u0000b\""}},
        {R"({"required":["a\u0000b"]})", {R"({"a\u0000b":1})"}, {R"({"a":1})"}},
        {R"({"properties":{"a\u0000b":{"type":"integer"}}})",
         {R"({"a":"x"})"},
         {R"({"a\u0000b":"x"})"}},
        {R"({"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false})",
         {R"({"x1":1})", "{}"},
         {R"({"x1":"a"})", R"({"y":1})"}},
        {R"({"propertyNames":{"maxLength":1},"maxProperties":2,"minProperties":1})",
         {R"({"a":1})"},
         {R"({"ab":1})", "{}", R"({"a":1,"b":1,"c":1})"}},
        {R"({"items":{"type":"integer"},"minItems":1,"maxItems":2})",
         {"[1]", "[1,2]"},
         {"[]", "[1,2,3]", "[\"a\"]"}},
        {R"({"items":[{"const":1}],"additionalItems":{"const":2}})",
         {"[]", "[1,2,2]"},
         {"[2]", "[1,1]"}},
        {R"({"prefixItems":[{"const":1}],"items":false})", {"[]", "[1]"}, {"[2]", "[1,1]"}},
        {R"({"contains":{"const":1}})", {"[0,1]"}, {"[]", "[0]"}},
        {R"({"contains":{"const":1},"minContains":0,"maxContains":1})", {"[]", "[1]"}, {"[1,1]"}},
        {R"({"uniqueItems":true})",
         {"[1,2]", "[[1],[2]]"},
         {"[1,1.0]", R"([{"a":1,"b":2},{"b":2,"a":1}])"}},
        {R"({"dependencies":{"a":["b"],"c":{"required":["d"]}}})",
         {R"({"a":1,"b":1})", "{}"},
         {R"({"a":1})", R"({"c":1})"}},
        {R"({"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":false}})",
         {R"({"a":1,"b":1})"},
         {R"({"a":1})", R"({"c":1})"}},
        {R"({"not":{"type":"null"}})", {"1"}, {"null"}},
        {R"({"if":{"type":"integer"},"then":{"minimum":5},"else":{"type":"string"}})",
         {"5", "\"a\""},
         {"4", "null"}},
        {R"({"oneOf":[{"minimum":5},{"type":"integer"}]})", {"4", "5.5"}, {"6", "4.5"}},
        {R"({"anyOf":[{"type":"null"},{"type":"object","required":["a"]}]})",
         {"null", R"({"a":1})"},
         {"{}", "1"}},
        {R"({"properties":{"$ref":{"type":"integer"},"a/b":{"$ref":"#/properties/%24ref"},"c":{"$ref":"#/properties/a~1b"}}})",
         {R"({"$ref":1,"a/b":2,"c":3})"},
         {R"({"$ref":"x"})", R"({"a/b":"x"})", R"({"c":"x"})"}}};
    for (const Case& each : cases) {
        for (const std::string& answer : each.valid)
            EXPECT_EQ(problem_of(each.schema, answer), "") << each.schema << " " << answer;
        for (const std::string& answer : each.invalid)
            EXPECT_NE(problem_of(each.schema, answer), "") << each.schema << " " << answer;
    }
}

TEST(AnswerSchema, ManyWaysToOneAnswerTakeNoTime) {
    std::string shared = R"({"allOf":[{"$ref":"#/$defs/d0"}],"$defs":{"d60":{"type":"integer"})";
    for (int i = 0; i < 40; ++i) {
        const std::string next =
            R"({"$ref":"#/$defs/d)" + std::to_string(i == 39 ? 60 : i + 1) + "\"}";
        shared += ",\"d" + std::to_string(i) + R"(":{"allOf":[)" + next + "," + next + "]}";
    }
    EXPECT_EQ(problem_of(shared + "}}", "1"), "");
    EXPECT_NE(problem_of(shared + "}}", "\"a\""), "");
    constexpr std::string_view tree = R"({"anyOf":[{"type":"integer"},
        {"type":"object","required":["left","op"],"properties":{"left":{"$ref":"#"},"op":{"const":"add"}}},
        {"type":"object","required":["left","op"],"properties":{"left":{"$ref":"#"},"op":{"const":"mul"}}}]})";
    std::string answer = "1";
    for (int i = 0; i < 60; ++i) answer = R"({"left":)" + answer + R"(,"op":"sub"})";
    EXPECT_NE(problem_of(tree, answer), "");
    std::string many = R"({"type":"object","properties":{"p":{})";
    std::string members = R"({"p":0)";
    for (int i = 0; i < 20'000; ++i) {
        many += ",\"p" + std::to_string(i) + R"(":{"type":"integer"})";
        members += ",\"p" + std::to_string(i) + "\":1";
    }
    EXPECT_EQ(problem_of(many + "}}", members + "}"), "");
}

TEST(AnswerSchema, AByteOrderMarkIsNoPartOfTheJson) {
    const CheckedAnswer checked = AnswerSchema(R"({"type":"array"})", "s").check("\xEF\xBB\xBF[1]");
    EXPECT_EQ(checked.problem, "");
    EXPECT_EQ(checked.json, "[1]");
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
}  // namespace chorus::model
