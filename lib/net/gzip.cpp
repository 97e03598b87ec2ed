#include "net/gzip.hpp"

#include <zlib.h>

#include <array>
#include <new>

namespace chorus::net {
namespace {

constexpr int gzip_only = 15 + 16;  // the largest window; zlib.h, inflateInit2
constexpr char magic_first = '\x1f';

}  // namespace

struct Gunzip::Stream {
    z_stream z{};
    bool started = false;
    bool ended = false;
    std::array<char, 32U << 10> out;
};

Gunzip::Gunzip() : stream_(std::make_unique<Stream>()) {
    if (inflateInit2(&stream_->z, gzip_only) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() {
    inflateEnd(&stream_->z);
}

Gunzip::Outcome Gunzip::feed(std::string_view bytes,
                             const std::function<bool(std::string_view)>& sink) {
    if (bytes.empty()) return Outcome::taken;
    Stream& s = *stream_;
    // zlib never writes through next_in; its type only lacks the const.
    s.z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    s.z.avail_in = static_cast<uInt>(bytes.size());
    while (s.z.avail_in > 0 || s.z.avail_out == 0) {
        if (s.ended) {
            if (s.z.avail_in == 0 || *s.z.next_in != magic_first) return Outcome::taken;
            inflateReset(&s.z);
            s.ended = false;
        }
        s.started = true;
        s.z.next_out = reinterpret_cast<Bytef*>(s.out.data());
        s.z.avail_out = static_cast<uInt>(s.out.size());
        const int result = inflate(&s.z, Z_SYNC_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return Outcome::damaged;
        s.ended = result == Z_STREAM_END;
        const std::string_view piece(s.out.data(), s.out.size() - s.z.avail_out);
        if (!piece.empty() && !sink(piece)) return Outcome::refused;
    }
    return Outcome::taken;
}

bool Gunzip::complete() const {
    return !stream_->started || stream_->ended;
}

std::string gzip(std::string_view text) {
    z_stream z{};
    if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, gzip_only, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    std::string packed(deflateBound(&z, text.size()), '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(packed.data());
    z.avail_out = static_cast<uInt>(packed.size());
    deflate(&z, Z_FINISH);
    packed.resize(z.total_out);
    deflateEnd(&z);
    return packed;
}

std::optional<std::string> gunzip(std::string_view packed, std::size_t most) {
    std::string text;
    Gunzip stream;
    const auto outcome = stream.feed(packed, [&](std::string_view piece) {
        text += piece;
        return text.size() <= most;
    });
    if (outcome != Gunzip::Outcome::taken || !stream.complete()) return std::nullopt;
    return text;
}

}  // namespace chorus::net
