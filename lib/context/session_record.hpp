// A saved session as exporters take it.
#pragma once

#include <string>

#include "context/record.hpp"

namespace chorus::context {

// `id` may be the beginning of one that no other session has. Messages are numbered from 1; what a
// reader does not know of one is empty. Error(not_found), Error(bad_request) for several, and where
// the file is no session.
Record session_record(store::Store& store, const agent::Home& home, const store::Agent& agent,
                      const std::string& id);

}  // namespace chorus::context
