
#include "base/text.hpp"
#include "context/export.hpp"
#include "context/facts.hpp"
#include "context/transcript_entry.hpp"

namespace chorus::context {
namespace {

std::string line_of(std::string_view text) {
    return base::visible(text, base::Newlines::escape);
}

std::string heading(const ExportRecord& record) {
    std::string text = "# " + line_of(record.title) + "\n\n";
    for (const Fact& fact : facts(record))
        text += "- " + fact.name + ": " + line_of(fact.text) + "\n";
    return text;
}

}  // namespace

std::string to_markdown(const ExportRecord& record) {
    std::string text = heading(record);
    for (const store::Thread& thread : record.threads) {
        if (record.threads.size() > 1)
            text += "\n# Thread " + std::to_string(thread.id) + ", branch " +
                    line_of(thread.branch) + "\n";
        for (const store::StoredMessage& stored : record.messages) {
            if (stored.thread != thread.id) continue;
            chat::Message message = stored.message;
            message.timestamp = said_at(stored);
            text += transcript_entry(message);
        }
    }
    return text;
}

}  // namespace chorus::context
