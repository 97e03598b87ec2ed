// Turns the events of one answer's stream into an Answer; one subclass per dialect. An answer is
// complete only if its terminal marker was seen. Otherwise its text is kept and its calls are
// dropped.
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
    // `sink` must outlive the decoder.
    Decoder(Origin origin, const StreamSink& sink) : origin_(std::move(origin)), sink_(sink) {}
    virtual ~Decoder() = default;
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    // Returns false once the answer has failed; nothing more is read then.
    bool take(const net::ServerEvent& event);
    // Takes the whole answer as one JSON object, from a server that does not stream.
    void take_whole(std::string_view body);
    // Sets the request's key, which is removed from messages.
    void hide(std::string_view key) { key_ = key; }
    // No more bytes follow: an incomplete event now means a cut stream, not a malformed event.
    void expect_no_more() { at_end_ = true; }

    bool is_complete() const { return complete_; }
    // Events arrived, but none of this protocol. The answer is not complete then.
    bool is_foreign() const { return took_event_ && !known_; }
    bool has_failed() const { return failure_.has_value(); }
    net::Received received() const;

    // Called once. `cut` is why an incomplete answer ended.
    Answer finish(std::optional<Failure> cut = std::nullopt);

  protected:
    // Returns false for malformed data. Unknown events are ignored.
    virtual bool read(const net::ServerEvent& event) = 0;
    // Returns false for a body that is not an answer of this dialect.
    virtual bool read_whole(std::string_view body) = 0;
    // Puts calls, blocks and stop reason into the reply. Called only if the terminal marker was
    // seen.
    virtual void assemble(chat::Reply& reply) = 0;

    void say(std::string_view text);
    void think(std::string_view text);
    // A call begins, or `bytes` of its arguments arrived.
    void write(std::size_t bytes);
    // Thinking begins; nothing may be shown for minutes.
    void pause() { writes_ = false; }
    // Counts bytes that are not passed to say, think or write. Every part of an answer counts
    // towards its bound.
    void keep(std::size_t bytes);
    // The stream carried an error.
    void complain(std::string_view data);
    void mark_complete() { complete_ = true; }
    // An event of this protocol arrived.
    void mark_known() { known_ = true; }
    // Nothing more of the answer follows.
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
    bool writes_ = false;  // text or calls arrive, not thinking
    bool at_end_ = false;
    bool took_event_ = false;
    bool known_ = false;
    std::string surrogate_half_;
};

}  // namespace chorus::model
