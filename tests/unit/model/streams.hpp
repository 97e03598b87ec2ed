// Feeding recorded streams to decoders, split wherever a network might split them.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/decoder.hpp"
#include "net/sse.hpp"

namespace chorus::model {

struct Heard {
    std::string text;
    std::string thinking;
    std::vector<std::string> pieces;
    StreamSink sink{[this](std::string_view piece) {
                        text += piece;
                        pieces.emplace_back(piece);
                    },
                    [this](std::string_view piece) { thinking += piece; }};
    Heard() = default;
    Heard(const Heard&) = delete;
};

using MakeDecoder = std::function<std::unique_ptr<Decoder>(const StreamSink&)>;

inline Answer feed(Decoder& decoder, std::string_view stream, std::size_t first, std::size_t step) {
    net::SseParser parser([&](const net::ServerEvent& event) { decoder.take(event); },
                          decoder.framing());
    for (std::size_t at = 0; at < stream.size();) {
        const std::size_t size = at == 0 ? first : step;
        parser.feed(stream.substr(at, size));
        at += size;
    }
    decoder.expect_no_more();
    parser.finish();
    return decoder.finish();
}

inline Answer decode(const MakeDecoder& make, std::string_view stream, Heard& heard) {
    const auto decoder = make(heard.sink);
    return feed(*decoder, stream, stream.size(), stream.size());
}

inline Answer decode(const MakeDecoder& make, std::string_view stream) {
    Heard heard;
    return decode(make, stream, heard);
}

// Split in two at every byte, and byte by byte. `check` gets each answer.
inline void decode_every_way(const MakeDecoder& make, std::string_view stream,
                             const std::function<void(const Answer&, const Heard&)>& check) {
    for (std::size_t at = 1; at < stream.size(); ++at) {
        Heard heard;
        const auto decoder = make(heard.sink);
        check(feed(*decoder, stream, at, stream.size()), heard);
    }
    Heard heard;
    const auto decoder = make(heard.sink);
    check(feed(*decoder, stream, 1, 1), heard);
}

// The stream without its last events: one string for every event boundary.
inline std::vector<std::string> cuts(std::string_view stream) {
    std::vector<std::string> all;
    for (std::size_t at = 0; (at = stream.find("\n\n", at)) != std::string_view::npos; at += 2)
        if (at + 2 < stream.size()) all.emplace_back(stream.substr(0, at + 2));
    return all;
}

}  // namespace chorus::model
