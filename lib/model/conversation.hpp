// Shared by the request writers: the order of messages, and what may be sent to a provider that did
// not create it.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "chat/json_text.hpp"
#include "chat/message.hpp"

namespace chorus::model {

struct Origin {
    std::string provider;
    std::string model;
};

// Estimates the length of the request's body in bytes.
std::size_t expected_bytes(const chat::Request& request);

// Returns the messages in the order in which they are sent: between two answers, tool results come
// before user messages.
std::vector<const chat::Message*> in_wire_order(const std::vector<chat::Message>& messages);

bool is_json_object(std::string_view text);
// The arguments of a call, or "{}" if the model's text is not a JSON object: a malformed call in
// the history must not make every later request fail.
std::string_view sendable_arguments(std::string_view arguments);
// A tool's schema, or that of a tool without arguments.
std::string_view sendable_schema(const chat::ToolDefinition& tool);
// Converts an id or a name, which another provider or the model may have made up, to
// [A-Za-z0-9_-]{1,64}.
std::string sendable_name(std::string_view text);

// Returns the message's own blocks if this provider and model made them, else nullptr. `call_mark`
// is how a tool call begins in them: blocks with calls that the message no longer has are not
// returned.
const std::string* own_blocks(const chat::Message& message, const Origin& origin,
                              std::string_view call_mark);
// Whether a provider's error message refuses such blocks. Their signature or encryption is valid
// for one account only.
bool refuses_own_blocks(std::string_view message);
// Whether a provider's error message refuses the schema of the answer, which is checked here too.
bool refuses_schema(std::string_view message);
// `[a,b]` → `a,b`
std::string_view inside_array(std::string_view wire);
// The members of own blocks that are one object in an array, which are added to those of the
// message; "" if there are none that this provider and model made.
std::string_view own_members(const chat::Message& message, const Origin& origin);
// Writes "tools":[{"type":"function","function":{…}},…], or nothing without tools.
void write_function_tools(chat::JsonText& out, const std::vector<chat::ToolDefinition>& tools);
// The system prompt and the documents as one text.
std::string whole_system(const chat::Request& request);
// The names of the calls by their ids, for APIs that take a result with its function's name.
class CallNames {
  public:
    void add(const chat::Message& answer);
    std::string of(const chat::Message& result) const;

  private:
    std::map<std::string, std::string> names_;
};

// Whether an assistant's message has neither a call nor visible text. APIs refuse such messages.
bool says_nothing(const chat::Message& message);

// Returns the id under which a call and its result can be sent back: the provider's, cleaned, or a
// made-up one if it is empty or in `taken`. Adds it to `taken`.
std::string usable_call_id(std::string_view id, std::set<std::string>& taken);

}  // namespace chorus::model
