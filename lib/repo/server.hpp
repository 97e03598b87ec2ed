// chorus-git's side of its socket.
#pragma once

namespace chorus::repo {

// The descriptor that chorus-sandbox(8) gives it.
constexpr int server_socket = 3;
// Answers calls until the other side is closed.
void serve();

}  // namespace chorus::repo
