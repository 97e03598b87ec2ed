// The table of the ways in which a server can be hostile, and of what chorus-run must make of each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answers.hpp"
#include "server.hpp"

namespace hostile {

// Exit status and error.code of chorus(7), EXIT STATUS.
struct Outcome {
    int status = 0;
    std::string_view code;
};
constexpr Outcome done{0, ""};
constexpr Outcome failed{1, "FAILED"};
constexpr Outcome unauthorized{6, "UNAUTHORIZED"};
constexpr Outcome out_of_credits{6, "OUT_OF_CREDITS"};
constexpr Outcome no_internet{7, "NO_INTERNET"};
constexpr Outcome server_error{7, "SERVER_ERROR"};
constexpr Outcome provider_error{7, "PROVIDER_ERROR"};
constexpr Outcome limited{9, "LIMIT"};
constexpr Outcome parked{75, "PARKED"};
constexpr Outcome timed_out{124, "TIMEOUT"};

enum class Tls { none, good, expired, early, other_name, unknown, old, h2 };

struct Scene {
    Protocol protocol;
    Framing framing = Framing::chunked;
    std::size_t at = 0;  // the point: a byte, or what the mode counts
    int trap_port = 0;   // of a server that nobody may come to
};

struct Mode {
    std::string name;
    // Any of these; nearly always one.
    std::function<std::vector<Outcome>(const Scene&)> outcomes;

    // The answer to the first request, as bytes: whole at point 0, in two writes at any other.
    std::function<std::string(const Scene&)> bytes;
    // or what is done instead of answering it,
    std::function<void(Peer&, const Scene&)> act;
    // or with the whole connection.
    std::function<void(Peer&, const Scene&)> connection;

    std::vector<Framing> framings{Framing::chunked};
    // How many points there are for `act`; "bytes" has one a byte.
    std::function<std::size_t(const Scene&)> points;
    bool once = false;    // too big to be split at every byte
    bool closes = false;  // the connection ends with the bytes
    Tls tls = Tls::none;
    bool nobody_listens = false;
    int retries = 0;
    // Of the turn. What waits for nothing does without.
    std::string timeout;
    // The text of a turn that ended well; where nothing is given, anything.
    std::optional<std::string> text = std::string(good_text);
    std::optional<int> tool_runs = 0;
    bool keeps_key = false;  // what the model says is kept as it was said
    long memory_mib = 192;   // an answer may have 32
};

std::vector<Mode> broken_modes();   // cut, reset, stalled, paused: at any byte
std::vector<Mode> http_modes();     // heads, framing, encodings, statuses
std::vector<Mode> stream_modes();   // events and what is in them
std::vector<Mode> endless_modes();  // what never ends
std::vector<Mode> tls_modes();

std::function<std::vector<Outcome>(const Scene&)> always(std::vector<Outcome> outcomes);
Mode once(Mode mode);
Mode raw(std::string name, Outcome outcome, std::function<std::string(const Scene&)> bytes);
Mode acting(std::string name, Outcome outcome, std::function<void(Peer&, const Scene&)> act);

}  // namespace hostile
