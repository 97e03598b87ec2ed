// A JSON Schema for answers (--json-schema): of draft 7 or 2020-12, without unevaluated* and
// references that leave the schema; `format` is an annotation.
// https://json-schema.org/draft/2020-12/json-schema-validation
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace chorus::model {

struct CheckedAnswer {
    std::string json;     // the answer without the code fence around it, if it had one
    std::string problem;  // what of it does not match, in one line; "" if it is valid
};

class AnswerSchema {
  public:
    // Throws Error(bad_request), which begins with `what`: for text that is no schema, one that
    // accepts anything or nothing, and what cannot be checked (keywords that are not supported,
    // other references, endless recursion).
    AnswerSchema(std::string_view json, const std::string& what);
    ~AnswerSchema();

    const std::string& json() const;  // compact
    // Takes time in proportion to the sizes of schema and answer, multiplied.
    CheckedAnswer check(std::string_view answer) const;

  private:
    struct Compiled;
    std::unique_ptr<const Compiled> compiled_;
};

}  // namespace chorus::model
