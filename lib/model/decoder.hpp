// Turns the events of one answer's stream into an Answer; one subclass per dialect. An answer is
// complete only if its terminal marker was seen. Otherwise its text is kept and its calls are
// dropped. For this room's own use.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "model/conversation.hpp"
#include "model/event_json.hpp"
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

    // How the stream is divided into events.
    virtual net::Framing framing() const { return net::Framing::events; }
    // Once the answer has failed, nothing more is read.
    void take(const net::ServerEvent& event);
    // Takes the whole answer as one JSON object, from a server that does not stream.
    void take_whole(std::string_view body);
    // Sets the request's key, which is removed from messages.
    void hide(std::string_view key) { key_ = key; }
    // No more bytes follow: an incomplete event now means a cut stream, not a malformed event.
    void expect_no_more() { at_end_ = true; }

    bool is_complete() const { return complete_; }
    // Events arrived, but none of this protocol. The answer is not complete then.
    bool is_foreign() const { return took_event_ && !known_; }
    net::Received received() const;

    // Called once. `cut` is why an incomplete answer ended.
    Answer finish(std::optional<Failure> cut = std::nullopt);

  protected:
    // `type` is the object's own word for its kind, else the event's; `data` is the object's text.
    // Unknown events are ignored.
    virtual void read(const Json& event, std::string_view type, std::string_view data) = 0;
    // "[DONE]" arrived, which ends the stream of many servers.
    virtual void read_done() {}
    // Returns false for a body that is not an answer of this dialect.
    virtual bool read_whole(const Json& body, std::string_view text) = 0;
    // Puts calls and stop reason into the reply, and returns the blocks in the provider's own form
    // that are to be sent back, or "". Called only if the terminal marker was seen.
    virtual std::string assemble(chat::Reply& reply) = 0;

    void say(std::string_view text);
    void think(std::string_view text);
    // A call begins, or `bytes` of its arguments arrived.
    void write(std::size_t bytes);
    // Thinking begins; nothing may be shown for minutes.
    void pause() { writes_ = false; }
    // Counts bytes that are not passed to say, think or write. Every part of an answer counts
    // towards its bound.
    void keep(std::size_t bytes);
    // The stream carried an error. One after the end does not spoil a complete answer.
    void complain(std::string_view data);
    void mark_complete() { complete_ = true; }
    // An event of this protocol arrived.
    void mark_known() { known_ = true; }
    // Nothing more of the answer follows.
    void mark_over() { complete_ = over_ = true; }
    // Adds a call under an id that can be sent back, which it returns.
    std::string add_call(chat::Reply& reply, std::string_view id, std::string_view name,
                         std::string_view arguments);

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
    std::set<std::string> call_ids_;
};

}  // namespace chorus::model
