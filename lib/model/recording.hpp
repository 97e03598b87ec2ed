// Recordings of the requests of a turn and their answers (--record), from which a turn can be
// repeated without its provider (replay/FILE). A recording is text: JSON objects over many lines,
// one after another, each between "{" and "}" alone on a line; the first is {"schema":
// "chorus.recording/1"}, the others are exchanges (chorus-models(7), RECORDINGS).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/endpoint.hpp"

namespace chorus::model {

using Redact = std::function<std::string(std::string_view)>;

// Whether a model is a recording: "replay/FILE".
bool is_replay(std::string_view model);

class Recorder {
  public:
    // `write` gets the whole recording so far, after each exchange.
    explicit Recorder(std::function<void(std::string_view)> write);

    // Records what is sent to the endpoint from now on. This object and what `redact` refers to
    // must outlive the endpoint.
    void attach(Endpoint& endpoint, const std::string& model, const Redact& redact);

  private:
    std::function<void(std::string_view)> write_;
    std::string text_;
};

class Replay {
  public:
    // Throws Error(bad_request), which begins with `what`, for text that is no recording, is cut,
    // or has answers of more than one model.
    Replay(std::string_view recording, const std::string& what);
    ~Replay();

    const std::string& model() const;  // the full name of the model that was asked
    // Answers what is sent to the endpoint, which reaches the recorded model, by the next exchange.
    // Error(failed) if there is none; with `strict` also where the request differs. This object
    // and what `redact` refers to must outlive the endpoint.
    void attach(Endpoint& endpoint, bool strict, const Redact& redact);

  private:
    struct Exchange;
    std::string what_;
    std::vector<Exchange> exchanges_;
    std::size_t next_ = 0;
};

}  // namespace chorus::model
