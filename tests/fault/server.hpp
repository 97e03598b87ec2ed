// A loopback provider of one turn, its log outside of any disk that is cut.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "fault/command.hpp"

namespace fault {

using Json = nlohmann::ordered_json;

Json say(const std::string& text, const Json& calls = Json::array());
Json call(const std::string& id, const std::string& tool, const Json& arguments);

class Server {
  public:
    // Answers in order, the last one for ever. `directory` is its own, and made anew.
    Server(const std::string& program, const std::string& directory, const Json& answers);
    // What a command needs to find it.
    Variables variables() const;
    // Bodies of the requests so far, oldest first.
    std::vector<Json> requests() const;
    // No request from now on counts.
    void seal() { most_ = requests().size(); }

  private:
    std::string directory_;
    std::size_t most_ = SIZE_MAX;
    std::unique_ptr<Command> server_;
    std::string port_;
};

}  // namespace fault
