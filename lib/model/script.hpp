// builtin/script: no model and no network. A pure function of the conversation: the lines of the
// newest prompt that begin with '/' are tool calls, made one per request; then the answer repeats
// the rest, with the results.
#pragma once

#include <memory>

#include "model/model.hpp"

namespace chorus::model {

chat::Reply script_reply(const chat::Request& request);
std::unique_ptr<Model> make_script();

}  // namespace chorus::model
