// Any split of a stream gives the same events, and they are those of the standard, read here once
// more and with less care for speed.
#include "net/sse.hpp"

#include <vector>

#include "fuzz/property.hpp"

namespace chorus::net {
namespace {

using fuzz::require;

std::string heard(std::string_view stream, const std::vector<std::size_t>& ends) {
    std::string all;
    SseParser parser([&](const ServerEvent& event) {
        require(!event.data.empty(), "an event has data");
        require(!event.type.empty(), "an event has a type");
        all += event.type + "\n" + std::to_string(event.data.size()) + "\n" + event.data + "\n";
    });
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        require(parser.feed(stream.substr(begin, end - begin)),
                "what is within its bounds is read");
        begin = end;
    }
    parser.finish();
    return all;
}

std::vector<std::string> lines_of(std::string_view stream) {
    if (stream.starts_with("\xEF\xBB\xBF")) stream.remove_prefix(3);
    std::vector<std::string> lines(1);
    for (std::size_t i = 0; i < stream.size(); ++i) {
        const bool is_crlf = stream[i] == '\r' && i + 1 < stream.size() && stream[i + 1] == '\n';
        if (stream[i] != '\r' && stream[i] != '\n')
            lines.back() += stream[i];
        else
            lines.emplace_back();
        if (is_crlf) ++i;
    }
    lines.emplace_back();  // the blank line that servers forget
    return lines;
}

std::string expected(std::string_view stream) {
    std::string all;
    std::string type;
    std::optional<std::string> data;
    for (const std::string& line : lines_of(stream)) {
        if (line.empty()) {
            if (data && !data->empty())
                all += (type.empty() ? "message" : type) + "\n" + std::to_string(data->size()) +
                       "\n" + *data + "\n";
            type.clear();
            data.reset();
        }
        const std::size_t colon = std::min(line.find(':'), line.size());
        const std::string field = line.substr(0, colon);
        std::string value = colon < line.size() ? line.substr(colon + 1) : "";
        if (value.starts_with(' ')) value.erase(0, 1);
        if (field == "event") type = value;
        if (field == "data") data = data ? *data + "\n" + value : value;
    }
    return all;
}

}  // namespace
}  // namespace chorus::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace chorus;
    const std::string_view stream = fuzz::text_of(bytes, size);
    const std::string whole = net::heard(stream, {size});
    fuzz::require_equal("the events are those of the standard", whole, net::expected(stream));
    fuzz::require_equal("split in two", whole, net::heard(stream, {fuzz::place_in(stream), size}));
    std::vector<std::size_t> every(size);
    for (std::size_t i = 0; i < size; ++i) every[i] = i + 1;
    fuzz::require_equal("byte by byte", whole, net::heard(stream, every));
    return 0;
}
