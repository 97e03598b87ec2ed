// A session file from anywhere: read or refused in one line, and what is read can be mended into a
// history that a provider takes, written and read again.
#include "context/restore.hpp"
#include "context/window.hpp"
#include "fuzz/property.hpp"

using namespace chorus;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto read = context::read_session(fuzz::text_of(data, size), "f");
    if (const auto* error = std::get_if<base::Error>(&read)) {
        fuzz::require(error->message().find('\n') == std::string::npos, "an error has one line");
        return 0;
    }
    const auto& file = std::get<context::SessionFile>(read);
    const auto mended = context::mend(file.messages);
    std::map<std::int64_t, std::vector<chat::Message>> threads;
    for (const auto& each : mended.messages) threads[each.thread].push_back(each.message);
    for (const auto& [thread, messages] : threads)
        fuzz::require(context::find_torn(messages).empty(), "what is mended is whole");
    const std::string written = context::session_text(file.row, file.model, mended.messages);
    const auto again = context::read_session(written, "f");
    fuzz::require(std::holds_alternative<context::SessionFile>(again), "what is written can be read");
    fuzz::require(std::get<context::SessionFile>(again).messages.size() == mended.messages.size(),
             "and holds the same messages");
    return 0;
}
