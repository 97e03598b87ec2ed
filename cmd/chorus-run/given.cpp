#include "chorus-run/given.hpp"

#include <algorithm>

#include "agent/own_places.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "model/answer_schema.hpp"
#include "model/attachment.hpp"
#include "sys/named_file.hpp"

namespace chorus::run_command {

using base::Error;
using base::ErrorCode;

std::string schema_given(const std::string& given) {
    constexpr const char* named = "--json-schema";
    const std::string_view text = base::trim(given);
    const bool is_json =
        text.starts_with('{') || text.starts_with('[') || text == "true" || text == "false";
    return is_json ? model::AnswerSchema(text, named).json()
                   : model::AnswerSchema(sys::read_input_file(given, base::limits::json_bytes),
                                         std::string(named) + ": " + sys::input_name(given))
                         .json();
}

void use_attachments(place::TurnOptions& turn, const std::vector<std::string>& paths,
                     cli::PromptSources& prompt,
                     const std::function<void(const std::string&)>& notice) {
    const auto stdins = std::count(paths.begin(), paths.end(), "-");
    if (stdins > 1)
        throw Error(ErrorCode::bad_request, "-a -: given twice, and stdin can be read once",
                    "put one of them into a file");
    if (stdins == 1) {
        if (cli::names_stdin(prompt))
            throw Error(ErrorCode::bad_request, "-a -: stdin is the prompt already",
                        "give the prompt as words, with -p or with -f");
        prompt.stdin_use = cli::StdinUse::ignore;
    }
    for (const std::string& path : paths) {
        const std::string shown = base::visible(sys::input_name(path), base::Newlines::escape);
        std::string bytes =
            path == "-"
                ? cli::read_stdin(prompt.stdin_timeout_ms, base::limits::attachment_bytes, notice)
                : sys::read_input_file(path, base::limits::attachment_bytes);
        if (bytes.empty())
            throw Error(ErrorCode::bad_request, "-a " + shown + ": it is empty", "leave it out");
        const std::string_view type = model::mime_type_of(bytes);
        if (type.empty())
            throw Error(ErrorCode::bad_request,
                        "-a " + shown + ": neither text nor a PNG, JPEG, GIF, WebP or PDF file",
                        "text has to be UTF-8, as iconv -t utf-8 makes it; the agent's tools can "
                        "read other files in its workspace");
        chat::Attachment attachment{.sha256 = base::sha256_hex(bytes),
                                    .name = shown.substr(shown.rfind('/') + 1),
                                    .mime_type = std::string(type),
                                    .size = static_cast<std::int64_t>(bytes.size())};
        turn.files.push_back(
            {std::move(attachment), std::make_shared<const std::string>(std::move(bytes))});
    }
}

void use_recordings(place::TurnOptions& turn, const std::string& record,
                    const std::string& other_output, const agent::Home& home) {
    if (model::is_replay(turn.model)) {
        const std::string file = turn.model.substr(turn.model.find('/') + 1);
        if (file.empty())
            throw Error(ErrorCode::bad_request, turn.model + ": it names no file",
                        "give one with -m replay/FILE");
        turn.replay = std::make_shared<model::Replay>(
            sys::read_input_file(file, base::limits::recording_bytes), turn.model);
    } else if (turn.strict) {
        throw Error(ErrorCode::bad_request, "--strict: the model is not a recording",
                    "give one with -m replay/FILE");
    }
    if (record.empty()) return;
    if (turn.replay)
        throw Error(ErrorCode::bad_request, "--record: " + turn.model + " sends no requests");
    sys::OutputFile file(record, sys::Overwrite::allow, agent::refuse_own_places(home));
    if (!file.is_regular() || record == other_output)
        throw Error(ErrorCode::bad_request,
                    "--record: " + base::quoted(record) +
                        (file.is_regular() ? " is the file of -o too" : " is not a regular file"),
                    "name a new file");
    turn.recorder = std::make_shared<model::Recorder>(
        [file = std::move(file)](std::string_view text) { file.write(text); });
}

}  // namespace chorus::run_command
