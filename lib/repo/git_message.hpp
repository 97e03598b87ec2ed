// Messages between chorus-git and its callers: lists of texts, sent as their number, then each as
// its size and its bytes. For this room's own use.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::repo {

using Message = std::vector<std::string>;
// Stands between the globs of a text that holds several.
constexpr std::string_view between_globs{"\0", 1};

// Returns false if the other side is closed.
bool send(int socket, const Message& message);
// Returns nothing at the end. `wait` is called before each read; what it throws is passed on.
// Throws Error(failed) for more than 64 MiB.
std::optional<Message> receive(
    int socket, const std::function<void()>& wait = [] {});

}  // namespace chorus::repo
