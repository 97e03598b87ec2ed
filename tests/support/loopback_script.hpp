// What the server is told to answer, request by request. See loopback.cpp for the form.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loopback_dialects.hpp"

namespace loopback {

struct Answer {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers;
    std::vector<std::string> parts;  // of the body; sent one by one
    bool chunked = false;
    long delay_ms = 0;
    long drip_ms = 0;
    std::optional<std::size_t> cut_after_bytes;
    bool reset = false;
    bool hang_up = false;
    bool stall = false;
};

class Script {
  public:
    // Throws std::runtime_error or Json::exception where the file is not one.
    explicit Script(const std::string& path);
    // The answer to the k-th POST, k from 1.
    Answer answer(std::size_t k, const Asked& asked) const;
    // For GET where the script has "models"; nothing: the built-in list.
    std::optional<Answer> models() const;

  private:
    Json script_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

Answer plain_answer(int status, const std::string& type, std::string body);

}  // namespace loopback
