#include "chorus-run/given.hpp"

#include "agent/own_places.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "model/answer_schema.hpp"
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

void use_recordings(place::TurnOptions& turn, const std::string& record, const agent::Home& home) {
    if (model::is_replay(turn.model)) {
        const std::string file = turn.model.substr(turn.model.find('/') + 1);
        turn.replay = std::make_shared<model::Replay>(
            sys::read_input_file(file, base::limits::recording_bytes), turn.model);
    } else if (turn.strict) {
        throw Error(ErrorCode::bad_request, "--strict: the model is not a recording",
                    "give one with -m replay/FILE");
    }
    if (record.empty()) return;
    if (turn.replay)
        throw Error(ErrorCode::bad_request, "--record: " + turn.model + " sends no requests");
    turn.recorder = std::make_shared<model::Recorder>(
        [file = sys::OutputFile(record, sys::Overwrite::allow, agent::refuse_own_places(home))](
            std::string_view text) { file.write(text); });
}

}  // namespace chorus::run_command
