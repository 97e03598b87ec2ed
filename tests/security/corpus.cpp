#include "security/corpus.hpp"

#include <fstream>
#include <iostream>
#include <stdexcept>

namespace chorus::security {
namespace {

const std::string opening = "⟦";
const std::string closing = "⟧";
constexpr const char* parting = " | ";

void append_bytes(std::string& out, const std::string& inside) {
    for (std::size_t at = 0; at < inside.size();) {
        std::size_t read = 0;
        const auto byte = static_cast<char>(std::stoul(inside.substr(at), &read, 16));
        at += read;
        std::size_t times = 1;
        if (at < inside.size() && inside[at] == '*') {
            times = std::stoul(inside.substr(at + 1), &read);
            at += read + 1;
        }
        out.append(times, byte);
        while (at < inside.size() && inside[at] == ' ') ++at;
    }
}

std::vector<std::string> fields_of(const std::string& text, std::size_t most) {
    std::vector<std::string> fields;
    std::size_t at = 0;
    while (fields.size() + 1 < most) {
        const std::size_t end = text.find(parting, at);
        if (end == std::string::npos) break;
        std::string field = text.substr(at, end - at);
        field.erase(field.find_last_not_of(' ') + 1);
        fields.push_back(decoded(field));
        at = text.find_first_not_of(' ', end + 2);
        if (at == std::string::npos) at = text.size();
    }
    fields.push_back(decoded(text.substr(at)));
    return fields;
}

}  // namespace

std::string decoded(const std::string& text) {
    std::string out;
    std::size_t at = 0;
    for (;;) {
        const std::size_t begin = text.find(opening, at);
        out += text.substr(at, begin - at);
        if (begin == std::string::npos) return out;
        const std::size_t end = text.find(closing, begin);
        if (end == std::string::npos) throw std::runtime_error("⟦ without ⟧");
        append_bytes(out, text.substr(begin + opening.size(), end - begin - opening.size()));
        at = end + closing.size();
    }
}

std::vector<Line> read_corpus(const std::string& path, std::size_t fields) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    std::vector<Line> lines;
    std::size_t number = 0;
    for (std::string text; std::getline(file, text);) {
        ++number;
        if (text.empty() || text.front() == '#') continue;
        try {
            lines.push_back({number, fields_of(text, fields)});
        } catch (const std::exception& error) {
            throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
        }
    }
    return lines;
}

void Report::ran(bool holds, const Line& line, const std::string& what) {
    ++ran_;
    if (holds) return;
    ++failed_;
    std::cout << corpus_ << ":" << line.number << ": " << what << "\n";
}

int Report::finish() const {
    std::cout << corpus_ << ": " << ran_ << " cases, " << failed_ << " failed\n";
    if (ran_ != expected_) std::cout << corpus_ << ": " << expected_ << " cases were to be run\n";
    return failed_ == 0 && ran_ == expected_ ? 0 : 1;
}

}  // namespace chorus::security
