#include "context/chart.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "context/facts.hpp"
#include "context/html_text.hpp"

namespace chorus::context {
namespace {

constexpr std::size_t most_bars = 160;
constexpr double width = 800;
constexpr double height = 100;
constexpr double widest_slot = 20;
constexpr double bar_share = 0.72;    // of its slot
constexpr double least_height = 0.7;  // keeps small values visible

struct Bar {
    std::int64_t input = 0;
    std::int64_t output = 0;
    double usd = 0;
    bool has_cost = false;
    std::string label;
    std::string anchor;
};

std::string label_of(const std::vector<store::Turn>& turns, std::size_t first, std::size_t last) {
    const auto number = [&](std::size_t at) {
        return (turns[at].thread_id == 1 ? "" : std::to_string(turns[at].thread_id) + "/") +
               std::to_string(turns[at].turn_number);
    };
    return (first == last ? "Turn " + number(first)
                          : "Turns " + number(first) + " to " + number(last)) +
           ", " + shown_utc(turns[first].started_at);
}

std::vector<Bar> make_bars(const std::vector<store::Turn>& turns,
                           const std::map<store::TurnId, std::string>& anchors) {
    const std::size_t each = (turns.size() + most_bars - 1) / most_bars;
    std::vector<Bar> bars;
    for (std::size_t at = 0; at < turns.size(); ++at) {
        if (at % each == 0) {
            bars.emplace_back();
            bars.back().label = label_of(turns, at, std::min(at + each, turns.size()) - 1);
        }
        const store::Turn& turn = turns[at];
        Bar& bar = bars.back();
        bar.input += turn.usage.input_tokens;
        bar.output += turn.usage.output_tokens;
        if (turn.cost_usd >= 0) bar.usd += turn.cost_usd;
        bar.has_cost = bar.has_cost || turn.cost_usd >= 0;
        const auto anchor = anchors.find(turn.id);
        if (bar.anchor.empty() && anchor != anchors.end()) bar.anchor = anchor->second;
    }
    return bars;
}

std::string number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f", value);
    return text.data();
}

// Pieces of one bar, from the bottom up.
struct Slice {
    const char* kind;
    double share;  // of the highest bar
};

void draw_bar(std::string& out, const Bar& bar, std::size_t at, double slot,
              const std::vector<Slice>& pieces, const std::string& title) {
    if (!bar.anchor.empty()) out += "<a href=\"#" + attribute(bar.anchor) + "\">";
    out += "<g><title>" + html(title) + "</title>";
    // the whole slot reacts to the pointer
    const std::string left = number(static_cast<double>(at) * slot);
    out += "<rect class=\"slot\" x=\"" + left + "\" y=\"0\" width=\"" + number(slot) +
           "\" height=\"" + number(height) + "\"/>";
    double top = height;
    for (const Slice& piece : pieces) {
        if (piece.share <= 0) continue;
        const double tall = std::max(piece.share * height, least_height);
        top -= tall;
        out += std::string("<rect class=\"") + piece.kind + "\" x=\"" + left + "\" y=\"" +
               number(std::max(top, 0.0)) + "\" width=\"" + number(slot * bar_share) +
               "\" height=\"" + number(tall) + "\"/>";
    }
    out += bar.anchor.empty() ? "</g>" : "</g></a>";
}

template <typename Draw>
std::string figure(const std::string& caption, const std::string& what, Draw draw) {
    std::string out = "<figure><figcaption>" + caption + "</figcaption>\n<svg viewBox=\"0 0 " +
                      number(width) + " " + number(height) +
                      "\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"" + what + "\">";
    draw(out);
    return out + "</svg></figure>\n";
}

std::string key(const char* kind, const std::string& name) {
    return std::string("<span class=\"key ") + kind + "\">" + name + "</span>";
}

}  // namespace

std::string usage_chart(const std::vector<store::Turn>& turns,
                        const std::map<store::TurnId, std::string>& anchors) {
    if (turns.empty()) return {};
    const std::vector<Bar> bars = make_bars(turns, anchors);
    const double slot = std::min(width / static_cast<double>(bars.size()), widest_slot);
    std::int64_t most = 0;
    double most_usd = 0;
    bool has_cost = false;
    for (const Bar& bar : bars) {
        most = std::max(most, bar.input + bar.output);
        most_usd = std::max(most_usd, bar.usd);
        has_cost = has_cost || bar.has_cost;
    }
    if (most == 0 && most_usd <= 0) return {};
    const std::string per = bars.size() == turns.size() ? " per turn" : " per bar of several turns";
    const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
    std::string out =
        figure("Tokens" + per + ", " + with_commas(most) + " at most " + key("input", "in") +
                   key("output", "out"),
               "Tokens" + per, [&](std::string& svg) {
                   for (std::size_t at = 0; at < bars.size(); ++at) {
                       const Bar& bar = bars[at];
                       const auto whole = static_cast<double>(most);
                       draw_bar(svg, bar, at, slot,
                                {{"input", share(static_cast<double>(bar.input), whole)},
                                 {"output", share(static_cast<double>(bar.output), whole)}},
                                bar.label + ": " + with_commas(bar.input) + " in, " +
                                    with_commas(bar.output) + " out");
                   }
               });
    if (!has_cost) return out;
    return out + figure("Cost" + per + ", " + dollars(most_usd) + " at most", "Cost" + per,
                        [&](std::string& svg) {
                            for (std::size_t at = 0; at < bars.size(); ++at)
                                draw_bar(svg, bars[at], at, slot,
                                         {{"cost", share(bars[at].usd, most_usd)}},
                                         bars[at].label + ": " + dollars(bars[at].usd));
                        });
}

}  // namespace chorus::context
