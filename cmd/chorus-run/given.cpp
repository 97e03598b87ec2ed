#include "chorus-run/given.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "agent/own_places.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "model/answer_schema.hpp"
#include "model/attachment.hpp"
#include "sys/file.hpp"
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

double temperature_given(const std::string& text) {
    constexpr double most = 2;
    const auto value = base::parse_number<double>(text);
    if (value && *value >= 0 && *value <= most) return *value;
    throw Error(ErrorCode::bad_request,
                "--temperature: " + base::quoted(text) + " is not a number from 0 to 2");
}

std::string metadata_given(const std::vector<std::string>& pairs) {
    constexpr std::size_t most_pairs = base::limits::metadata_pairs;
    constexpr std::size_t longest_key = base::limits::metadata_key_bytes;
    constexpr std::size_t longest_value = base::limits::metadata_value_bytes;
    chat::Json metadata = chat::Json::object();
    for (const std::string& pair : pairs) {
        const auto refuse = [&](const std::string& why) {
            throw Error(ErrorCode::bad_request, "--meta " + base::quoted(pair) + ": " + why,
                        "chorus-run NAME --meta job=nightly PROMPT");
        };
        const std::size_t end = pair.find('=');
        const std::string key = pair.substr(0, end);
        if (end == std::string::npos) refuse("it is not KEY=VALUE");
        if (key.empty() || key.size() > longest_key ||
            !std::all_of(key.begin(), key.end(), [](unsigned char letter) {
                return std::isalnum(letter) != 0 || std::strchr("._-", letter) != nullptr;
            }))
            refuse("a key is 1 to " + std::to_string(longest_key) +
                   " letters, digits, '.', '_' and '-'");
        const std::string value = pair.substr(end + 1);
        if (value.size() > longest_value || base::find_invalid_utf8(value) ||
            value.find('\0') != std::string::npos)
            refuse("a value is UTF-8 text of at most " + std::to_string(longest_value) + " bytes");
        if (metadata.contains(key)) refuse("this key is given twice");
        metadata[key] = value;
    }
    if (metadata.size() > most_pairs)
        throw Error(ErrorCode::bad_request, "--meta: " + std::to_string(metadata.size()) +
                                                " pairs, which is more than " +
                                                std::to_string(most_pairs));
    return metadata.empty() ? "" : chat::dump(metadata);
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

std::unique_ptr<channel::Trace> open_trace(const std::string& given, sys::Environment& environment,
                                           const agent::Home& home) {
    const std::string file = given.empty() ? environment.get("CHORUS_TRACE") : given;
    if (file.empty()) return nullptr;
    const bool is_option = !given.empty();
    const channel::Trace::Source source{
        is_option ? "--trace" : "CHORUS_TRACE",
        is_option ? ErrorCode::bad_request : ErrorCode::config_invalid};
    if (file == "-")
        throw Error(source.code,
                    std::string(source.name) + ": lines are appended to a file, not to stdout",
                    "a file of that name is ./-");
    agent::refuse_own_places(home)(file);
    auto trace = std::make_unique<channel::Trace>(file, environment.get("TRACEPARENT"), source);
    std::map<std::string, std::string> values = environment.all();
    values["CHORUS_TRACE"] = sys::real_path(file);
    values["TRACEPARENT"] = trace->traceparent();
    environment = sys::Environment(std::move(values));
    return trace;
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
