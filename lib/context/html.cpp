#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "chat/json_text.hpp"
#include "context/export.hpp"
#include "context/facts.hpp"
#include "context/html_text.hpp"

namespace chorus::embedded {
extern const std::string_view context_page_html;
extern const std::string_view context_page_css;
extern const std::string_view context_page_js;
}  // namespace chorus::embedded

namespace chorus::context {
namespace {

using chat::Json;
using chat::Role;
using store::StoredMessage;

constexpr std::size_t most_preview_bytes = 120;

// The class of a message's article, and its heading.
struct Kind {
    const char* name;
    const char* heading;
};
Kind kind_of(Role role) {
    constexpr std::array<Kind, 3> kinds{
        {{"user", "User"}, {"assistant", "Assistant"}, {"stray", "Result"}}};
    return kinds.at(static_cast<std::size_t>(role));
}

// Returns the preview of a call: the first line of its first text argument.
std::string preview_of(const Json& arguments) {
    for (const auto& member : arguments) {
        if (!member.is_string()) continue;
        const auto& text = member.get_ref<const std::string&>();
        const std::string_view line = base::trim(std::string_view(text).substr(0, text.find('\n')));
        const std::string_view shown = base::utf8_prefix(line, most_preview_bytes);
        return std::string(shown) + (shown.size() < base::trim(text).size() ? "…" : "");
    }
    return {};
}

std::string value_text(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.dump(2, ' ', false, Json::error_handler_t::replace);
}

// True for a message from a saved session. Imported messages are not marked one by one.
bool is_restored(const StoredMessage& stored) {
    return !stored.restored_from.empty() && !is_imported(stored);
}

class MessagesHtml {
  public:
    explicit MessagesHtml(const ExportRecord& record) : sub_agents_(record.sub_agents) {
        for (const store::Turn& turn : record.turns) turns_[turn.id] = &turn;
        for (const store::Thread& thread : record.threads) {
            if (record.threads.size() > 1)
                out_ += fmt::format("<h2 dir=\"auto\">Thread {} · {}</h2>\n", thread.id,
                                    html(thread.branch));
            std::vector<const StoredMessage*> messages;
            for (const StoredMessage& stored : record.messages)
                if (stored.thread == thread.id) messages.push_back(&stored);
            append_thread(messages);
        }
        for (const ExportRecord& below : sub_agents_) {
            if (below.agent.parent_turn != 0) continue;
            out_ += "<article class=\"below\">\n";
            append_sub_agent(below);
            out_ += "</article>\n";
        }
    }
    const std::string& text() const { return out_; }
    // The first message of each turn.
    const std::map<store::TurnId, std::int64_t>& anchors() const { return anchors_; }

  private:
    using Results = std::vector<const StoredMessage*>;

    void append_thread(const std::vector<const StoredMessage*>& messages) {
        for (std::size_t at = 0; at < messages.size();) {
            const StoredMessage& first = *messages[at++];
            Results results;
            while (first.message.role == Role::assistant && at < messages.size() &&
                   messages[at]->message.role == Role::tool_result)
                results.push_back(messages[at++]);
            append_article(first, results);
            for (const StoredMessage* stray : std::exchange(results, {}))
                append_article(*stray, results);
        }
    }

    // Removes the results of its calls from `results`.
    void append_article(const StoredMessage& stored, Results& results) {
        const chat::Message& message = stored.message;
        anchors_.try_emplace(message.turn_id, message.id);
        out_ += fmt::format("<article class=\"{}{}\" id=\"m{}\">\n", kind_of(message.role).name,
                            stored.left_out ? " left-out" : "", message.id);
        append_head(stored);
        if (message.role == Role::tool_result)
            out_ += "<pre class=\"code\" dir=\"auto\">" + html(message.content) + "</pre>\n";
        else if (!base::trim(message.content).empty())
            append_said(chat::shown_content(message));
        for (const chat::ToolCall& call : message.tool_calls)
            append_call(message.turn_id, call, results);
        out_ += "</article>\n";
    }

    void append_head(const StoredMessage& stored) {
        const chat::Message& message = stored.message;
        out_ += fmt::format("<header><b>{}</b><time datetime=\"{}\">{}</time>",
                            kind_of(message.role).heading, base::iso8601(said_at(stored)),
                            shown_utc(said_at(stored)));
        const auto turn = turns_.find(message.turn_id);
        if (message.starts_turn && turn != turns_.end())
            out_ += fmt::format("<span>turn {}</span>", turn->second->turn_number);
        if (message.role == Role::tool_result)
            out_ += "<span>" + html(message.tool_call_id) + "</span>";
        if (is_restored(stored)) out_ += "<span>restored</span>";
        if (stored.left_out) out_ += "<span>no longer sent</span>";
        out_ += fmt::format("<a href=\"#m{0}\">#{0}</a></header>\n", message.id);
    }

    // Text in ``` fences becomes code blocks; no other Markdown is interpreted.
    void append_said(std::string_view text) {
        out_ += "<div class=\"said\">";
        while (!text.empty()) {
            const std::size_t open = find_fence(text, 0, 3);
            append_text(text.substr(0, open));
            if (open == std::string_view::npos) break;
            text.remove_prefix(open);
            const std::size_t ticks = text.find_first_not_of('`');
            const std::size_t line_end = std::min(text.find('\n'), text.size());
            const std::string_view language =
                ticks < line_end ? base::trim(text.substr(ticks, line_end - ticks)) : "";
            text.remove_prefix(std::min(line_end + 1, text.size()));
            const std::size_t close = find_fence(text, 0, std::min(ticks, line_end));
            append_code(text.substr(0, close), language);
            if (close == std::string_view::npos) break;
            text.remove_prefix(std::min(text.find('\n', close), text.size() - 1) + 1);
        }
        out_ += "</div>\n";
    }

    // Returns where a line begins with that many backticks.
    static std::size_t find_fence(std::string_view text, std::size_t from, std::size_t ticks) {
        const std::string fence(ticks, '`');
        while ((from = text.find(fence, from)) != std::string_view::npos) {
            if (from == 0 || text[from - 1] == '\n') return from;
            ++from;
        }
        return std::string_view::npos;
    }

    void append_text(std::string_view text) {
        while (!text.empty() && text.front() == '\n') text.remove_prefix(1);
        while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
        if (!text.empty()) out_ += "<div class=\"text\" dir=\"auto\">" + html(text) + "</div>";
    }

    void append_code(std::string_view text, std::string_view language) {
        if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
        out_ += "<pre class=\"code\">";
        if (!language.empty()) out_ += "<small>" + html(language) + "</small>";
        // HTML ignores a newline right after the tag, so it is written twice
        if (!text.empty() && text.front() == '\n') out_ += '\n';
        out_ += html(text) + "</pre>";
    }

    void append_call(store::TurnId turn, const chat::ToolCall& call, Results& results) {
        const auto found = std::find_if(
            results.begin(), results.end(),
            [&](const StoredMessage* one) { return one->message.tool_call_id == call.id; });
        const StoredMessage* const result = found == results.end() ? nullptr : *found;
        const auto arguments = chat::try_parse_json(call.arguments);
        const bool is_object = arguments && arguments->is_object();
        const std::string outcome = result == nullptr          ? "no result"
                                    : !result->outcome.empty() ? result->outcome
                                    : result->message.is_error ? "error"
                                                               : "ok";
        out_ += fmt::format(
            "<details><summary><b>{}</b><code>{}</code><i class=\"{}\">{}</i></summary>\n"
            "<div class=\"arguments\">",
            html(call.name), is_object ? html(preview_of(*arguments)) : "", attribute(outcome),
            html(outcome));
        if (is_object)
            for (const auto& [name, value] : arguments->items())
                append_argument(name, value_text(value));
        else
            append_argument("arguments", call.arguments);
        out_ += "</div>\n";
        if (result != nullptr) {
            out_ += fmt::format(
                "<div class=\"result\" id=\"m{0}\"><a href=\"#m{0}\">#{0}</a>"
                "<pre dir=\"auto\">\n{1}</pre></div>\n",
                result->message.id, html(result->message.content));
            results.erase(found);
        }
        out_ += "</details>\n";
        for (const ExportRecord& below : sub_agents_)
            if (below.agent.parent_turn == turn && below.agent.parent_call == call.id)
                append_sub_agent(below);
    }

    void append_sub_agent(const ExportRecord& below) {
        const store::Agent& agent = below.agent;
        out_ += fmt::format(
            "<details class=\"sub-agent\"><summary><b>{}</b><code>{}</code><i>{}</i></summary>\n",
            html(agent.preset), html(agent.description),
            counted(static_cast<std::int64_t>(below.messages.size()), "message"));
        out_ += MessagesHtml(below).text() + "</details>\n";
    }

    void append_argument(std::string_view name, std::string_view value) {
        out_ += fmt::format("<div><small>{}</small><pre dir=\"auto\">\n{}</pre></div>", html(name),
                            html(value));
    }

    const std::vector<ExportRecord>& sub_agents_;
    std::string out_;
    std::map<store::TurnId, const store::Turn*> turns_;
    std::map<store::TurnId, std::int64_t> anchors_;
};

std::string facts_html(const ExportRecord& record) {
    std::string out;
    for (const Fact& fact : facts(record))
        out += "<dt>" + html(fact.name) + "</dt><dd>" + html(fact.text) + "</dd>\n";
    return out;
}

// Returns the data of the charts, which page.js draws: for each turn its name, its beginning, its
// tokens, its cost, and the message that its bar leads to.
std::string turns_json(const std::vector<store::Turn>& turns,
                       const std::map<store::TurnId, std::int64_t>& anchors) {
    chat::JsonText out;
    out.begin_array();
    for (const store::Turn& turn : turns) {
        const std::string thread = turn.thread_id == 1 ? "" : std::to_string(turn.thread_id) + "/";
        const auto anchor = anchors.find(turn.id);
        out.begin_array().string(thread + std::to_string(turn.turn_number));
        out.string(shown_utc(turn.started_at));
        out.number(turn.usage.input_tokens).number(turn.usage.output_tokens);
        const base::MicroUsd cost = turn.usage.cost;
        out.real(cost == base::unknown_cost ? -1 : base::in_usd(cost));
        out.number(anchor == anchors.end() ? 0 : anchor->second).end_array();
    }
    return out.end_array().take();
}

// Returns the SHA-256 in base64, as a Content-Security-Policy names a script. Three hexadecimal
// digits are two of base64; a byte is missing at the end.
std::string policy_hash(std::string_view text) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::string hexadecimal = base::sha256_hex(text) + "00";
    std::string hash;
    for (std::size_t at = 0; at < hexadecimal.size(); at += 3) {
        const unsigned long bits = std::stoul(hexadecimal.substr(at, 3), nullptr, 16);
        hash += alphabet[bits >> 6U];
        hash += alphabet[bits & 63U];
    }
    hash.back() = '=';
    return hash;
}

}  // namespace

// The page's Content-Security-Policy allows its own style and script, by hash, and nothing else.
std::string to_html(const ExportRecord& record) {
    const MessagesHtml messages(record);
    return fmt::format(
        fmt::runtime(embedded::context_page_html),
        fmt::arg("style_hash", policy_hash(embedded::context_page_css)),
        fmt::arg("script_hash", policy_hash(embedded::context_page_js)),
        fmt::arg("title", attribute(record.title)), fmt::arg("style", embedded::context_page_css),
        fmt::arg("heading", html(record.title)), fmt::arg("facts", facts_html(record)),
        fmt::arg("turns", attribute(turns_json(record.turns, messages.anchors()))),
        fmt::arg("messages", messages.text()), fmt::arg("script", embedded::context_page_js));
}

}  // namespace chorus::context
