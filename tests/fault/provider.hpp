// A model provider on 127.0.0.1 whose answer follows from the conversation that it is sent, so that
// a request which is made again gets the same answer again.
//
// What the newest user text asks for decides: "say N" is answered at once with "Said N."; "work N"
// is a turn of seven answers: a file is made, edited and appended to, two are read side by side, a
// command runs, all is committed, "Done N."; "ask N" is one of two commands at once. N makes names,
// lines and ids of one turn unlike another's. A conversation that is to be summarised gets "Summary
// of" and the N of its prompts.
#pragma once

#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fault {

using Json = nlohmann::ordered_json;

// One thing that a request or a row of messages tells.
struct Block {
    std::string role;  // user, assistant
    std::string type;  // text, tool_use, tool_result
    std::string id;    // of a call
    std::string text;  // a text, a call's arguments, a result's text
    friend bool operator==(const Block&, const Block&) = default;
};

struct Request {
    Json body;
    std::vector<Block> blocks;
    std::string problem;  // why a provider would refuse it; "" for none
};

// The blocks in order, without what is no part of the conversation (cache marks).
std::vector<Block> blocks_of(const Json& messages);
// Why the conversation cannot be sent: who speaks alternates, each call is answered in the very
// next message, exactly once; no text is empty.
std::string problem_of(const Json& messages);
// What the provider says to it, in the words of tests/support/loopback.cpp.
Json answer_to(const std::vector<Block>& blocks);

class Provider {
  public:
    Provider();
    ~Provider();
    Provider(const Provider&) = delete;
    Provider& operator=(const Provider&) = delete;

    std::string url() const;
    // Those that came since the last call, in order.
    std::vector<Request> take_requests();

  private:
    void accept_all();
    void serve(int socket);

    int listener_ = -1;
    int port_ = 0;
    std::mutex mutex_;
    std::vector<Request> requests_;
};

}  // namespace fault
