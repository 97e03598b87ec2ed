// The events of one answer's stream, turned into an Answer: one subclass a dialect. An answer is
// whole only when its terminal marker was seen; of any other the text is kept and the calls are
// not.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "model/conversation.hpp"
#include "model/model.hpp"
#include "net/sse.hpp"

namespace chorus::model {

class Decoder {
  public:
    // `sink` outlives the decoder.
    Decoder(Origin origin, const StreamSink& sink) : origin_(std::move(origin)), sink_(sink) {}
    virtual ~Decoder() = default;
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    // False once the answer has failed: nothing more is read then.
    bool take(const net::ServerEvent& event);
    // The whole answer as one JSON object, from a server that does not stream.
    void take_whole(std::string_view body);
    // The key of the request: no message repeats it.
    void hide(std::string_view key) { key_ = key; }
    // The bytes are at an end: an event cut in its middle is a cut, not a fault of its own.
    void expect_no_more() { at_end_ = true; }

    bool is_complete() const { return complete_; }
    // Events came, and none of this protocol: it is not complete then.
    bool is_foreign() const { return took_event_ && !known_; }
    bool has_failed() const { return failure_.has_value(); }
    net::Received received() const;

    // Called once. `cut` is why an answer that is not whole broke off.
    Answer finish(std::optional<Failure> cut = std::nullopt);

  protected:
    // False for data that is malformed. Unknown events are passed over.
    virtual bool read(const net::ServerEvent& event) = 0;
    // False for what is no answer of this dialect.
    virtual bool read_whole(std::string_view body) = 0;
    // The terminal marker was seen: calls, blocks and stop reason go into the reply.
    virtual void assemble(chat::Reply& reply) = 0;

    void say(std::string_view text);
    void think(std::string_view text);
    // A call, or that many bytes of its arguments.
    void write(std::size_t bytes);
    // A thought begins, of which nothing may be shown for minutes.
    void pause() { writes_ = false; }
    // Bytes that were neither said, thought nor written; every part of an answer counts towards its
    // bound.
    void keep(std::size_t bytes);
    // The stream carried an error.
    void complain(std::string_view data);
    void mark_complete() { complete_ = true; }
    // An event of this protocol came.
    void mark_known() { known_ = true; }
    // Nothing of the answer comes any more.
    void mark_over() { complete_ = over_ = true; }

    const Origin& origin() const { return origin_; }
    std::string* surrogate_half() { return &surrogate_half_; }
    const std::string& text() const { return answer_.reply.text; }
    bool has_text() const { return !text().empty(); }
    chat::Usage& usage() { return answer_.reply.usage; }

  private:
    void fail(Category category, const std::string& message, bool retryable);

    Origin origin_;
    std::string key_;
    const StreamSink& sink_;
    Answer answer_;
    std::optional<Failure> failure_;
    std::size_t kept_bytes_ = 0;
    bool complete_ = false;
    bool over_ = false;
    bool writes_ = false;  // text or calls, rather than thoughts that nobody may be shown
    bool at_end_ = false;
    bool took_event_ = false;
    bool known_ = false;
    std::string surrogate_half_;
};

}  // namespace chorus::model
