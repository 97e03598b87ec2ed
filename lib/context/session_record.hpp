// A saved session as exporters take it.
#pragma once

#include <string>

#include "context/record.hpp"

namespace chorus::context {

// `id` may be a beginning; messages are numbered from 1. Errors as of require_session and
// load_session.
Record session_record(store::Store& store, const agent::Home& home, const store::Agent& agent,
                      const std::string& id);

}  // namespace chorus::context
