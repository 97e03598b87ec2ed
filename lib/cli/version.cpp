#include "cli/version.hpp"

namespace chorus::cli {

std::string_view version() {
    return CHORUS_VERSION;
}

}  // namespace chorus::cli
