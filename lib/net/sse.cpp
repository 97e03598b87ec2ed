#include "net/sse.hpp"

#include "base/limits.hpp"
#include "base/text.hpp"

namespace chorus::net {

bool SseParser::feed(std::string_view bytes) {
    while (!bytes.empty() && !broken_) {
        if (after_cr_) {
            after_cr_ = false;
            if (bytes.front() == '\n') {
                bytes.remove_prefix(1);
                continue;
            }
        }
        const std::size_t end = bytes.find_first_of("\r\n");
        const std::string_view part = bytes.substr(0, end);
        if (line_.size() + part.size() > base::limits::sse_event_bytes) {
            broken_ = true;
            break;
        }
        if (end == std::string_view::npos) {
            line_.append(part);
            break;
        }
        after_cr_ = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        if (line_.empty()) {
            end_line(part);
        } else {
            line_.append(part);
            end_line(line_);
            line_.clear();
        }
    }
    return !broken_;
}

void SseParser::finish() {
    if (broken_) return;
    if (!line_.empty()) end_line(line_);
    line_.clear();
    if (!broken_) dispatch();
}

void SseParser::end_line(std::string_view line) {
    if (at_start_) line = base::without_bom(line);
    at_start_ = false;
    if (framing_ == Framing::lines) {
        if (!base::trim(line).empty()) sink_({"message", std::string(line)});
        return;
    }
    if (line.empty()) return dispatch();
    const std::size_t colon = line.find(':');
    if (colon == 0) return;
    if (colon == std::string_view::npos) return add_field(line, {});
    std::string_view value = line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    add_field(line.substr(0, colon), value);
}

void SseParser::add_field(std::string_view name, std::string_view value) {
    if (name == "event") event_.type = value;
    if (name != "data") return;
    if (event_.data.size() + value.size() + (has_data_ ? 1 : 0) > base::limits::sse_event_bytes) {
        broken_ = true;
        return;
    }
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
}

void SseParser::dispatch() {
    ServerEvent event = std::exchange(event_, {});
    has_data_ = false;
    if (event.data.empty()) return;
    if (event.type.empty()) event.type = "message";
    sink_(event);
}

}  // namespace chorus::net
