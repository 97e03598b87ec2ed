// A saved session as a record for the exporters.
#pragma once

#include <string>

#include "context/export_record.hpp"

namespace chorus::context {

// `id` may be a prefix; messages are numbered from 1. Throws what require_session and load_session
// throw.
ExportRecord session_record(store::Store& store, const agent::Home& home, const store::Agent& agent,
                            const std::string& id);

}  // namespace chorus::context
