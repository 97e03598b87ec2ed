#include "base/base64.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "chat/stored.hpp"
#include "context/export.hpp"
#include "context/record_members.hpp"

namespace chorus::context {
namespace {

using chat::JsonText;

class Writer {
  public:
    explicit Writer(JsonText& out) : out_(out) {}

    void number(const char* key, std::int64_t value, std::int64_t /*least*/ = 0,
                std::int64_t /*most*/ = 0) {
        out_.key(key).number(value);
    }
    void number_or_none(const char* key, std::int64_t value, Empty empty,
                        std::int64_t /*most*/ = 0) {
        if (begins(key, value != 0, empty)) out_.number(value);
    }
    void known(const char* key, std::int64_t value, Empty empty, std::int64_t /*most*/ = 0) {
        if (begins(key, value >= 0, empty)) out_.number(value);
    }
    void text(const char* key, std::string_view value, std::size_t /*most*/ = 0) {
        out_.key(key).string(value);
    }
    void text_or_none(const char* key, const std::string& value, Empty empty,
                      std::size_t /*most*/ = 0) {
        if (begins(key, !value.empty(), empty)) out_.string(value);
    }
    void time(const char* key, base::TimeMs at) { out_.key(key).string(base::iso8601(at)); }
    void time_or_none(const char* key, base::TimeMs at, Empty empty) {
        if (begins(key, at != 0, empty)) out_.string(base::iso8601(at));
    }
    void flag(const char* key, bool value) {
        if (value) out_.key(key).boolean(true);
    }
    void cost(base::MicroUsd cost) {
        if (begins("cost_usd", cost != base::unknown_cost, Empty::null))
            out_.real(base::in_usd(cost));
    }
    template <typename Enum, typename Find>
    void named(const char* key, Enum value, const Find& /*find*/) {
        out_.key(key).string(name(value));
    }
    template <typename Members>
    void object(const char* key, const Members& members) {
        out_.key(key).begin_object();
        describe(*this, members);
        out_.end_object();
    }
    void only_written(const char* key, std::int64_t value) { number(key, value); }
    void only_written(const char* key, const std::string& value) {
        text_or_none(key, value, Empty::left_out);
    }
    void options(const store::Turn& turn) {
        flag("fresh", store::is_fresh(turn));
        const std::string metadata = store::metadata_of(turn);
        if (!metadata.empty()) out_.key("metadata").raw(metadata);
    }
    void calls(const chat::Message& message) {
        if (!message.tool_calls.empty())
            out_.key("tool_calls").raw(chat::store_tool_calls(message.tool_calls));
    }
    void base64(const char* key, std::string_view bytes) {
        out_.key(key).string(base::base64_encode(bytes));
    }
    void extra(const chat::Message& message) {
        const std::string extra = chat::store_extra(message);
        if (!extra.empty()) out_.key("extra").raw(extra);
    }

  private:
    // Writes the key; returns whether the value is still to be written.
    bool begins(const char* key, bool has_value, Empty empty) {
        if (!has_value && empty == Empty::left_out) return false;
        out_.key(key);
        if (has_value || empty == Empty::written) return true;
        out_.null();
        return false;
    }

    JsonText& out_;
};

// `type` is "" for an item of a list, which does not state it.
template <typename Members>
void append_object(JsonText& out, std::string_view type, const Members& members) {
    out.begin_object();
    if (!type.empty()) out.key("type").string(type);
    Writer writer(out);
    describe(writer, members);
    out.end_object();
}

template <typename Members>
void append_list(JsonText& out, const char* key, const std::vector<Members>& all) {
    out.key(key).begin_array();
    for (const Members& one : all) append_object(out, "", one);
    out.end_array();
}

template <typename Members>
void append_line(std::string& all, std::string_view type, const Members& members) {
    JsonText out;
    append_object(out, type, members);
    all.append(out.text()).append("\n");
}

template <typename Members>
std::int64_t append_lines(std::string& all, std::string_view type,
                          const std::vector<Members>& each) {
    for (const Members& one : each) append_line(all, type, one);
    return static_cast<std::int64_t>(each.size());
}

std::size_t expected_bytes(const ExportRecord& record) {
    std::size_t bytes = 4096;
    for (const auto& stored : record.messages) bytes += stored.message.content.size() * 9 / 8 + 256;
    for (const AttachedFile& file : record.attachments) bytes += file.bytes.size() * 4 / 3 + 256;
    for (const SavedSession& saved : record.sessions) bytes += saved.text.size() * 5 / 4 + 256;
    return bytes;
}

// Only a record that a faulty program wrote holds anything to replace.
std::string as_utf8(std::string text) {
    return base::find_invalid_utf8(text) ? base::replace_invalid_utf8(text) : text;
}

}  // namespace

std::string to_json(const ExportRecord& record, base::TimeMs now) {
    JsonText out(expected_bytes(record));
    out.begin_object().key("schema").string(export_schema).key("agent");
    append_object(out, "", AgentLine{record, now});
    append_list(out, "threads", record.threads);
    append_list(out, "turns", record.turns);
    append_list(out, "messages", record.messages);
    return as_utf8(out.end_object().take() + "\n");
}

std::string to_jsonl(const ExportRecord& record, base::TimeMs now) {
    std::string all;
    all.reserve(expected_bytes(record));
    EndLine end;
    append_line(all, "agent", AgentLine{record, now});
    end.threads = append_lines(all, "thread", record.threads);
    end.turns = append_lines(all, "turn", record.turns);
    end.messages = append_lines(all, "message", record.messages);
    end.delivered = append_lines(all, "delivered", record.delivered);
    end.queued = append_lines(all, "queued", record.queued);
    end.attachments = append_lines(all, "attachment", record.attachments);
    end.sessions = append_lines(all, "session", record.sessions);
    append_line(all, "end", end);
    return as_utf8(std::move(all));
}

}  // namespace chorus::context
