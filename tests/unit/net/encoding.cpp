// Content encodings as a client meets them.
#include <zlib.h>

#include <string>

#include "net/http.hpp"
#include "server.hpp"

namespace chorus::net {
namespace {

const std::string text = "data: {\"text\": \"gr\xC3\xBC\xC3\x9F\"}\n\n";

std::string gzipped() {
    z_stream z{};
    deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(1024, '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

Got get(const std::string& body, const std::string& headers, const std::string& status = "200 OK") {
    Server server([&](Peer& peer) {
        peer.read_request();
        peer.send_answer(body, headers, status);
    });
    Client client({});
    HttpRequest request;
    request.url = server.url();
    Got got;
    got.response = client.send(request, [&](std::string_view bytes) {
        got.body += bytes;
        return Received::answer;
    });
    return got;
}

TEST(HttpEncoding, UnpacksGzip) {
    const Got got = get(gzipped(), "Content-Encoding: GZip\r\n");
    EXPECT_EQ(got.response.fault, TransportFault::none);
    EXPECT_EQ(got.body, text);
    EXPECT_EQ(got.response.streamed_bytes, text.size());
}

TEST(HttpEncoding, TakesAWellFramedButShortGzipStreamForCut) {
    const std::string packed = gzipped();
    for (std::size_t size = 1; size < packed.size(); size += 7) {
        const Got got = get(packed.substr(0, size), "content-encoding: gzip\r\n");
        EXPECT_EQ(got.response.fault, TransportFault::cut) << size;
        EXPECT_TRUE(got.response.fault_message.starts_with("gzip stream cut: "));
        EXPECT_TRUE(text.starts_with(got.body));
    }
}

TEST(HttpEncoding, TakesADamagedGzipStreamForCut) {
    const Got got = get("not gzip", "content-encoding: gzip\r\n");
    EXPECT_EQ(got.response.fault, TransportFault::cut);
    EXPECT_TRUE(got.response.fault_message.starts_with("damaged gzip stream: "));
}

TEST(HttpEncoding, UnpacksTheBodyOfAnError) {
    const Got got = get(gzipped(), "content-encoding: gzip\r\n", "500 Oh");
    EXPECT_EQ(got.response.fault, TransportFault::none);
    EXPECT_EQ(got.response.body, text);
}

TEST(HttpEncoding, TakesIdentityAndAnEmptyBody) {
    EXPECT_EQ(get(text, "content-encoding: identity\r\n").body, text);
    EXPECT_EQ(get("", "content-encoding: gzip\r\n").response.fault, TransportFault::none);
}

TEST(HttpEncoding, RefusesWhatWasNotAskedFor) {
    const Got got = get("x", "content-encoding: br\r\n");
    EXPECT_EQ(got.response.fault, TransportFault::other);
    EXPECT_TRUE(got.response.fault_message.starts_with("content-encoding br was not requested: "));
    EXPECT_EQ(got.body, "");
}

}  // namespace
}  // namespace chorus::net
