#include "agent/own_places.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"

namespace chorus::agent {
namespace {

// Returns the path with links resolved; for a missing file, the path that it would get; "" if its
// directory is missing.
std::string place_of(const std::string& path) {
    const std::string whole =
        path.starts_with('/') ? path : sys::join_path(sys::real_path("."), path);
    if (const auto led = sys::follow_links(whole)) return led->path;
    const std::size_t slash = whole.rfind('/');
    const auto parent = sys::follow_links(whole.substr(0, slash + 1));
    return parent ? sys::join_path(parent->path, whole.substr(slash + 1)) : "";
}

std::string real(const std::string& own) {
    const auto led = sys::follow_links(own);
    return led ? led->path : own;
}

bool is_below(const std::string& place, const std::string& directory) {
    return place.starts_with(directory + "/");
}

// "…/agents/NAME/workspace/…"
bool is_in_workspace(const Home& home, const std::string& place) {
    constexpr std::string_view workspace = "/workspace/";
    const std::string agents = real(home.agents());
    if (!is_below(place, agents)) return false;
    const std::size_t slash = place.find('/', agents.size() + 1);
    return slash != std::string::npos &&
           std::string_view(place).substr(slash).starts_with(workspace);
}

bool is_place_in_home(const Home& home, const std::string& place) {
    // the database's log and copies are beside it
    return is_below(place, real(home.path())) || is_below(place, real(home.agents())) ||
           is_below(place, real(home.archive())) || is_below(place, real(home.locks())) ||
           place.starts_with(real(home.database()));
}

}  // namespace

bool is_in_home(const Home& home, const std::string& path) {
    return is_place_in_home(home, place_of(path));
}

bool is_own_place(const Home& home, const std::string& path) {
    const std::string place = place_of(path);
    return is_place_in_home(home, place) && !is_in_workspace(home, place);
}

sys::OutputFile::Check refuse_own_places(const Home& home) {
    return [&home](const std::string& path) {
        if (is_own_place(home, path))
            throw base::Error(base::ErrorCode::bad_request,
                              base::quoted(path) + ": is inside the home " + home.path(),
                              "name a file outside the home, or in an agent's workspace");
    };
}

}  // namespace chorus::agent
