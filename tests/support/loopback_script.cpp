#include "loopback_script.hpp"

#include <openssl/evp.h>

#include <fstream>
#include <stdexcept>

#include "loopback_text.hpp"

namespace loopback {
namespace {

std::string decode_base64(const std::string& text) {
    std::string out(text.size() / 4 * 3 + 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
    if (size < 0) throw std::runtime_error("body_base64 is not base64");
    std::size_t padding = 0;
    while (padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
    out.resize(static_cast<std::size_t>(size) - padding);
    return out;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += part;
    return out;
}

// Without "chunk" parts stay as they are: events one by one, a raw body whole.
std::vector<std::string> split(std::vector<std::string> parts, const Json& chunk) {
    if (chunk.is_null()) return parts;
    const std::string body = joined(parts);
    if (chunk == "whole") return {body};
    parts.clear();
    if (chunk == "utf8") {
        for (const auto piece : cut_characters(body)) parts.emplace_back(piece);
        return parts;
    }
    const std::size_t size = chunk.get<std::size_t>();
    if (size == 0) throw std::runtime_error("chunk must be \"whole\", \"utf8\" or at least 1");
    for (std::size_t at = 0; at < body.size(); at += size) parts.push_back(body.substr(at, size));
    return parts;
}

// "prompt": what the last message says, if it is an object.
Json resolved(const Json& say, const Asked& asked) {
    if (say != "prompt") return say;
    Json said = Json::parse(asked.said, nullptr, false);
    return said.is_object() ? said : Json{{"text", "All done."}};
}

Answer read_answer(const Json& entry, const Asked& asked) {
    Answer answer;
    answer.status = entry.value("status", 200);
    const Json headers = entry.value("headers", Json::object());
    for (const auto& [name, value] : headers.items())
        answer.headers.emplace_back(name, value.get<std::string>());
    const bool neutral = entry.contains("say");
    if (neutral && asked.dialect == Dialect::none)
        return plain_answer(404, "application/json", R"({"error":{"message":"no such path"}})");
    if (neutral) {
        answer.headers.emplace_back("content-type", asked.dialect == Dialect::ollama
                                                        ? "application/x-ndjson"
                                                        : "text/event-stream");
        answer.parts = render(resolved(entry["say"], asked), asked);
    } else if (entry.contains("body_base64")) {
        answer.parts = {decode_base64(entry["body_base64"].get<std::string>())};
    } else {
        answer.parts = {entry.value("body", "")};
    }
    answer.parts = split(std::move(answer.parts), entry.value("chunk", Json()));
    answer.chunked = entry.value("chunked", neutral);
    answer.delay_ms = entry.value("delay_ms", 0L);
    answer.drip_ms = entry.value("drip_ms", 0L);
    if (entry.contains("cut_after_bytes"))
        answer.cut_after_bytes = entry["cut_after_bytes"].get<std::size_t>();
    answer.reset = entry.value("reset", false);
    answer.hang_up = entry.value("hang_up", false);
    answer.stall = entry.value("stall", false);
    return answer;
}

}  // namespace

Script::Script(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    script_ = Json::parse(file);
    if (!script_.contains("answers") || !script_["answers"].is_array())
        throw std::runtime_error(path + ": no \"answers\"");
}

Answer Script::answer(std::size_t k, const Asked& asked) const {
    using std::chrono::milliseconds;
    const auto age = std::chrono::steady_clock::now() - begin_;
    const Json by_key = script_.value("by_key", Json::object());
    for (const auto& [key, entry] : by_key.items())
        if (asked.head.find(key) != asked.head.npos &&
            (!entry.contains("for_ms") || age < milliseconds(entry["for_ms"].get<long>())))
            return read_answer(entry, asked);
    const Json& answers = script_["answers"];
    if (k <= answers.size()) return read_answer(answers[k - 1], asked);
    if (!answers.empty() && script_.value("after", "error") == "repeat-last")
        return read_answer(answers.back(), asked);
    return plain_answer(500, "application/json",
                        R"({"error":{"type":"api_error","message":"the script is at its end"}})");
}

std::optional<Answer> Script::models() const {
    if (!script_.contains("models")) return {};
    return read_answer(script_["models"], {});
}

Answer plain_answer(int status, const std::string& type, std::string body) {
    Answer answer;
    answer.status = status;
    answer.headers = {{"content-type", type}};
    answer.parts = {std::move(body)};
    return answer;
}

}  // namespace loopback
