// A JSON Schema for answers (--json-schema): draft 7 with $defs, where `format` is an annotation
// and references stay inside the schema. https://json-schema.org/draft-07
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace chorus::chat {

struct CheckedAnswer {
    std::string json;     // the answer without the code fence around it, if it had one
    std::string problem;  // what of it does not match, in one line; "" if it is valid
};

class AnswerSchema {
  public:
    // Throws Error(bad_request), which begins with `what`: for text that is no schema, one that
    // accepts anything or nothing, and what cannot be checked (other references, endless recursion,
    // keywords of later drafts).
    AnswerSchema(std::string_view json, const std::string& what);
    ~AnswerSchema();
    AnswerSchema(AnswerSchema&&) noexcept;
    AnswerSchema& operator=(AnswerSchema&&) noexcept;

    const std::string& json() const;  // compact
    CheckedAnswer check(std::string_view answer) const;

  private:
    struct Compiled;
    std::unique_ptr<const Compiled> compiled_;
};

}  // namespace chorus::chat
