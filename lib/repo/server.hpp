// chorus-git's side of its socket.
#pragma once

namespace chorus::repo {

// Where chorus-sandbox(8) puts it.
constexpr int server_socket = 3;
// Answers calls until nobody is left to make one.
void serve();

}  // namespace chorus::repo
