#include "context/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace chorus::context {
namespace {

std::string span_of(const ExportRecord& record) {
    if (record.messages.empty()) return {};
    const auto [first, last] = std::minmax_element(
        record.messages.begin(), record.messages.end(),
        [](const auto& one, const auto& other) { return said_at(one) < said_at(other); });
    const std::string from = shown_utc(said_at(*first));
    const std::string to = shown_utc(said_at(*last));
    if (from == to) return from + " UTC";
    const bool one_day = from.substr(0, 10) == to.substr(0, 10);
    return from + " – " + (one_day ? to.substr(11) : to) + " UTC";
}

std::string messages_of(const ExportRecord& record) {
    std::size_t calls = 0;
    for (const auto& stored : record.messages) calls += stored.message.tool_calls.size();
    std::string text = with_commas(static_cast<std::int64_t>(record.messages.size()));
    if (calls > 0) text += ", " + counted(static_cast<std::int64_t>(calls), "call");
    return text;
}

std::string tokens_of(const chat::Usage& usage) {
    std::string text =
        with_commas(usage.input_tokens) + " in, " + with_commas(usage.output_tokens) + " out";
    if (usage.cache_read_tokens > 0)
        text += " (" + with_commas(usage.cache_read_tokens) + " from the cache)";
    return text;
}

std::string cost_of(const std::vector<store::Turn>& turns) {
    base::MicroUsd sum = 0;
    std::size_t known = 0;
    for (const store::Turn& turn : turns) {
        if (turn.usage.cost == base::unknown_cost) continue;
        sum += turn.usage.cost;
        ++known;
    }
    if (known == 0) return {};
    const std::string of = known == turns.size()
                               ? ""
                               : " for " + with_commas(static_cast<std::int64_t>(known)) + " of " +
                                     counted(static_cast<std::int64_t>(turns.size()), "turn");
    return dollars(base::in_usd(sum)) + of;
}

std::size_t count_below(const ExportRecord& record) {
    std::size_t count = record.sub_agents.size();
    for (const ExportRecord& below : record.sub_agents) count += count_below(below);
    return count;
}

std::vector<store::Turn> turns_below(const ExportRecord& record) {
    std::vector<store::Turn> all;
    for (const ExportRecord& below : record.sub_agents) {
        all.insert(all.end(), below.turns.begin(), below.turns.end());
        const auto deeper = turns_below(below);
        all.insert(all.end(), deeper.begin(), deeper.end());
    }
    return all;
}

}  // namespace

std::vector<Fact> facts(const ExportRecord& record) {
    std::vector<Fact> all;
    const auto add = [&all](const char* name, std::string text) {
        if (!text.empty()) all.push_back({name, std::move(text)});
    };
    chat::Usage usage;
    for (const store::Turn& turn : record.turns) usage += turn.usage;
    add("Model", record.agent.model);
    add("Time", span_of(record));
    add("Messages", messages_of(record));
    if (!record.turns.empty()) {
        add("Turns", with_commas(static_cast<std::int64_t>(record.turns.size())));
        add("Tokens", tokens_of(usage));
        add("Cost", cost_of(record.turns));
    }
    if (!record.sub_agents.empty()) {
        const std::vector<store::Turn> turns = turns_below(record);
        const std::string cost = cost_of(turns);
        add("Sub-agents", with_commas(static_cast<std::int64_t>(count_below(record))) + ", " +
                              counted(static_cast<std::int64_t>(turns.size()), "turn") +
                              (cost.empty() ? "" : ", " + cost));
    }
    return all;
}

std::string with_commas(std::int64_t number) {
    std::string digits = std::to_string(number);
    const std::size_t first = number < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
    return digits;
}

std::string dollars(double usd) {
    return usd < 1 ? fmt::format("${:.4f}", usd) : fmt::format("${:.2f}", usd);
}

std::string shown_utc(base::TimeMs time) {
    std::string text = base::iso8601(time).substr(0, 16);
    text[10] = ' ';
    return text;
}

std::string counted(std::int64_t count, const std::string& what) {
    return with_commas(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace chorus::context
