#include "life/named_path.hpp"

#include "base/text.hpp"
#include "store/turns.hpp"
#include "sys/file.hpp"

namespace chorus::life {
namespace {

bool is_below(const std::string& path, const std::string& directory) {
    return path.starts_with(directory + "/");
}

}  // namespace

std::string named_path(store::Store& store, const agent::Home& home, base::ErrorCode code,
                       const std::string& what, const std::string& path) {
    const auto led = sys::follow_links(path);
    if (!led) return {};
    if (led->links.empty()) return led->path;
    std::vector<std::string> work_places = store::working_directories(store);
    work_places.push_back(sys::real_path(home.agents()));
    for (const std::string& link : led->links)
        for (const std::string& place : work_places)
            if (is_below(link, place))
                throw base::Error(code,
                                  what + ": " + base::quoted(path) + ": agents work in " + place +
                                      ", and the link " + link + " may be theirs",
                                  "name what is meant; now it is " + led->path);
    return led->path;
}

}  // namespace chorus::life
