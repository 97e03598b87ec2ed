#include "net/gzip.hpp"

#include <zlib.h>

#include <string>

namespace chorus::net {
namespace {

std::string gzipped(const std::string& text) {
    z_stream z{};
    deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&z, text.size()) + 32, '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

struct Unpacked {
    std::string text;
    Gunzip gunzip;
    Gunzip::Outcome feed(std::string_view bytes) {
        return gunzip.feed(bytes, [this](std::string_view piece) {
            text += piece;
            return true;
        });
    }
};

const std::string sample = "data: {\"x\": \"gr\xC3\xBC\xC3\x9F\"}\n\n: ping\n\n";

TEST(Gunzip, GivesTheSameAtEverySplitAndKnowsAnEarlyEnd) {
    const std::string packed = gzipped(sample);
    for (std::size_t cut = 0; cut <= packed.size(); ++cut) {
        Unpacked unpacked;
        EXPECT_EQ(unpacked.feed(packed.substr(0, cut)), Gunzip::Outcome::taken);
        EXPECT_EQ(unpacked.gunzip.complete(), cut == 0 || cut == packed.size()) << cut;
        EXPECT_EQ(unpacked.feed(packed.substr(cut)), Gunzip::Outcome::taken);
        EXPECT_EQ(unpacked.text, sample);
        EXPECT_TRUE(unpacked.gunzip.complete());
    }
}

TEST(Gunzip, UnpacksSeveralMembersAndPassesOverWhatFollows) {
    const std::string packed = gzipped("one ") + gzipped("two") + "trailing";
    Unpacked whole;
    EXPECT_EQ(whole.feed(packed), Gunzip::Outcome::taken);
    EXPECT_EQ(whole.text, "one two");
    EXPECT_TRUE(whole.gunzip.complete());
    Unpacked bytewise;
    for (const char c : packed) bytewise.feed({&c, 1});
    EXPECT_EQ(bytewise.text, "one two");
}

TEST(Gunzip, HandsOnManyTimesItsInputInPieces) {
    const std::string large(4U << 20, 'z');
    const std::string packed = gzipped(large);
    Gunzip gunzip;
    std::size_t sum = 0;
    EXPECT_EQ(gunzip.feed(packed,
                          [&](std::string_view piece) {
                              EXPECT_LE(piece.size(), 32U << 10);
                              sum += piece.size();
                              return true;
                          }),
              Gunzip::Outcome::taken);
    EXPECT_EQ(sum, large.size());
    EXPECT_TRUE(gunzip.complete());
}

TEST(Gunzip, StopsWhereTheSinkRefuses) {
    Gunzip gunzip;
    int pieces = 0;
    EXPECT_EQ(gunzip.feed(gzipped(std::string(4U << 20, 'z')),
                          [&](std::string_view) { return ++pieces < 3; }),
              Gunzip::Outcome::refused);
    EXPECT_EQ(pieces, 3);
}

TEST(Gunzip, SaysWhatIsDamaged) {
    Unpacked garbage;
    EXPECT_EQ(garbage.feed("data: not gzip\n\n"), Gunzip::Outcome::damaged);
    std::string packed = gzipped(sample);
    packed[packed.size() - 6] ^= 1;  // of the checksum
    Unpacked wrong;
    EXPECT_EQ(wrong.feed(packed), Gunzip::Outcome::damaged);
    EXPECT_FALSE(wrong.gunzip.complete());
}

TEST(Gzip, WhatIsPackedIsUnpacked) {
    for (const std::string& whole : {std::string(), sample, std::string(300'000, 'x') + sample}) {
        const std::string packed = gzip(whole);
        EXPECT_EQ(gunzip(packed, whole.size()), whole);
        if (!whole.empty()) {
            EXPECT_EQ(gunzip(packed, whole.size() - 1), std::nullopt);
        }
        EXPECT_EQ(gunzip(packed.substr(0, packed.size() - 1), whole.size()), std::nullopt);
    }
    EXPECT_EQ(gunzip("no gzip", 100), std::nullopt);
}

}  // namespace
}  // namespace chorus::net
