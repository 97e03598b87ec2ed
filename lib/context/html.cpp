#include <map>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "context/chart.hpp"
#include "context/export.hpp"
#include "context/facts.hpp"
#include "context/html_text.hpp"
#include "context/page.hpp"

namespace chorus::context {
namespace {

using chat::Json;
using chat::Role;
using store::StoredMessage;

constexpr std::size_t most_preview_bytes = 120;

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
    explicit MessagesHtml(const ExportRecord& record) {
        for (const store::Turn& turn : record.turns) turns_[turn.id] = &turn;
        for (const store::Thread& thread : record.threads) {
            if (record.threads.size() > 1) {
                out_ += "<h2 dir=\"auto\">Thread " + std::to_string(thread.id) + " · ";
                append_html(out_, thread.branch);
                out_ += "</h2>\n";
            }
            std::vector<const StoredMessage*> messages;
            for (const StoredMessage& stored : record.messages)
                if (stored.thread == thread.id) messages.push_back(&stored);
            append_thread(messages);
        }
    }
    std::string take() { return std::move(out_); }
    const std::map<store::TurnId, std::string>& anchors() const { return anchors_; }

  private:
    using Results = std::map<std::string, const StoredMessage*, std::less<>>;

    void append_thread(const std::vector<const StoredMessage*>& messages) {
        for (std::size_t at = 0; at < messages.size();) {
            const StoredMessage& first = *messages[at++];
            Results results;
            std::vector<const StoredMessage*> strays;
            while (first.message.role == Role::assistant && at < messages.size() &&
                   messages[at]->message.role == Role::tool_result) {
                const StoredMessage& result = *messages[at++];
                if (!results.try_emplace(result.message.tool_call_id, &result).second)
                    strays.push_back(&result);
            }
            append_article(first, results);
            for (const auto& [id, result] : results) strays.push_back(result);
            for (const StoredMessage* stray : strays) append_article(*stray, {});
        }
    }

    void append_article(const StoredMessage& stored, Results&& results) {
        append_article(stored, results);
    }

    // Removes the results of its calls from `results`.
    void append_article(const StoredMessage& stored, Results& results) {
        const chat::Message& message = stored.message;
        const char* const kind = message.role == Role::user        ? "user"
                                 : message.role == Role::assistant ? "assistant"
                                                                   : "stray";
        const std::string anchor = "m" + std::to_string(message.id);
        anchors_.try_emplace(message.turn_id, anchor);
        out_ += std::string("<article class=\"") + kind + (stored.left_out ? " left-out" : "") +
                "\" id=\"" + anchor + "\">\n";
        append_head(stored);
        if (message.role == Role::tool_result)
            out_ += "<pre class=\"code\" dir=\"auto\">" + html(message.content) + "</pre>\n";
        else if (!base::trim(message.content).empty())
            append_said(message.content);
        for (const chat::ToolCall& call : message.tool_calls) append_call(call, results);
        out_ += "</article>\n";
    }

    void append_head(const StoredMessage& stored) {
        const chat::Message& message = stored.message;
        const std::string id = std::to_string(message.id);
        out_ += std::string("<header><b>") +
                (message.role == Role::user        ? "User"
                 : message.role == Role::assistant ? "Assistant"
                                                   : "Result") +
                "</b><time datetime=\"" + base::iso8601(said_at(stored)) + "\">" +
                shown_utc(said_at(stored)) + "</time>";
        const auto turn = turns_.find(message.turn_id);
        if (message.starts_turn && turn != turns_.end())
            out_ += "<span>turn " + std::to_string(turn->second->turn_number) + "</span>";
        if (message.role == Role::tool_result)
            out_ += "<span>" + html(message.tool_call_id) + "</span>";
        if (is_restored(stored)) out_ += "<span>restored</span>";
        if (stored.left_out) out_ += "<span>no longer sent</span>";
        out_ += "<a href=\"#m" + id + "\">#" + id + "</a></header>\n";
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
        if (text.empty()) return;
        out_ += "<div class=\"text\" dir=\"auto\">";
        append_html(out_, text);
        out_ += "</div>";
    }

    void append_code(std::string_view text, std::string_view language) {
        if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
        out_ += "<pre class=\"code\">";
        if (!language.empty()) out_ += "<small>" + html(language) + "</small>";
        // HTML ignores a newline right after the tag, so it is written twice
        if (!text.empty() && text.front() == '\n') out_ += '\n';
        append_html(out_, text);
        out_ += "</pre>";
    }

    void append_call(const chat::ToolCall& call, Results& results) {
        const auto found = results.find(call.id);
        const StoredMessage* const result = found == results.end() ? nullptr : found->second;
        const auto arguments = chat::try_parse_json(call.arguments);
        const bool is_object = arguments && arguments->is_object();
        const std::string outcome = result == nullptr          ? "no result"
                                    : !result->outcome.empty() ? result->outcome
                                    : result->message.is_error ? "error"
                                                               : "ok";
        out_ += "<details><summary><b>" + html(call.name) + "</b><code>" +
                (is_object ? html(preview_of(*arguments)) : "") + "</code><i class=\"" +
                attribute(outcome) + "\">" + html(outcome) + "</i></summary>\n";
        out_ += "<div class=\"arguments\">";
        if (is_object)
            for (const auto& [name, value] : arguments->items())
                append_argument(name, value_text(value));
        else
            append_argument("arguments", call.arguments);
        out_ += "</div>\n";
        if (result != nullptr) {
            append_result(*result);
            results.erase(found);
        }
        out_ += "</details>\n";
    }

    void append_argument(std::string_view name, std::string_view value) {
        out_ += "<div><small>";
        append_html(out_, name);
        out_ += "</small><pre dir=\"auto\">\n";
        append_html(out_, value);
        out_ += "</pre></div>";
    }

    void append_result(const StoredMessage& result) {
        const std::string id = std::to_string(result.message.id);
        out_ += "<div class=\"result\" id=\"m" + id + "\"><a href=\"#m" + id + "\">#" + id +
                "</a><pre dir=\"auto\">\n";
        append_html(out_, result.message.content);
        out_ += "</pre></div>\n";
    }

    std::string out_;
    std::map<store::TurnId, const store::Turn*> turns_;
    std::map<store::TurnId, std::string> anchors_;
};

std::string facts_html(const ExportRecord& record) {
    std::string out;
    for (const Fact& fact : facts(record))
        out += "<dt>" + html(fact.name) + "</dt><dd>" + html(fact.text) + "</dd>\n";
    return out;
}

}  // namespace

std::string to_html(const ExportRecord& record) {
    MessagesHtml messages(record);
    const std::string chart = usage_chart(record.turns, messages.anchors());
    return page({.title = attribute(record.title),
                 .heading = html(record.title),
                 .facts = facts_html(record),
                 .chart = chart,
                 .messages = messages.take()});
}

}  // namespace chorus::context
