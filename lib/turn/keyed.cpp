#include "turn/keyed.hpp"

#include "base/hash.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "place/rights.hpp"
#include "store/threads.hpp"
#include "store/turns.hpp"
#include "sys/file.hpp"
#include "turn/last_turn.hpp"

namespace chorus::turn {

using base::Error;
using base::ErrorCode;
using base::ExitStatus;
using store::TurnState;

std::string hash_of_said(const place::TurnOptions& options) {
    std::string more = options.json_schema.empty() ? "" : '\0' + options.json_schema;
    for (const place::GivenFile& file : options.files) more += '\0' + file.attachment.sha256;
    return base::sha256_hex(options.prompt + '\0' + options.stdin_text + more);
}

void check_same_prompt(const store::Turn& turn, const place::TurnOptions& options) {
    const chat::Json stored = chat::parse_json(store::options_json(turn), "turn options");
    const std::string said = chat::string_or(stored, "said");
    if (said.empty() || said == hash_of_said(options)) return;
    throw Error(ErrorCode::bad_request,
                "--idempotency-key: turn " + std::to_string(turn.turn_number) + " of thread " +
                    std::to_string(turn.thread_id) +
                    " has this key but another prompt, schema or attachment",
                "a key belongs to one prompt with its -a and --json-schema: use another key");
}

std::optional<store::Turn> turn_of_key(store::Store& store, store::AgentId agent,
                                       const place::TurnOptions& options) {
    if (options.idempotency_key.empty()) return std::nullopt;
    auto turn = store::find_turn_by_key(store, agent, options.idempotency_key);
    if (turn) check_same_prompt(*turn, options);
    return turn;
}

chat::TurnResult kept_from_going_on(store::Store& store, const std::string& agent,
                                    const store::Turn& turn, const Error& error,
                                    const place::Surroundings& surroundings) {
    chat::TurnResult result = about(store, agent, turn);
    const bool is_canceled = error.code() == ErrorCode::canceled;
    set_end(result, is_canceled ? chat::State::canceled : chat::State::failed, "", error);
    result.accepted = true;
    if (is_canceled)
        result.exit_status = static_cast<ExitStatus>(128 + surroundings.interrupt.signal());
    return result;
}

void check_not_its_own(place::Place& place, const store::Turn& turn) {
    if (!place.options.cancel_prompts || turn.ended_at != 0) return;
    const Asked asked = asked_of(place, turn);
    const bool is_parked = turn.state == TurnState::parked && is_still_parked(turn);
    if (asked.pending.empty() && asked.decided.empty() && !is_parked) return;
    throw Error(ErrorCode::bad_request,
                "--cancel-prompts: the waiting turn is turn " + std::to_string(turn.turn_number) +
                    " of thread " + std::to_string(turn.thread_id) +
                    ", which has this idempotency key",
                "without --cancel-prompts the turn continues; without the key, " +
                    place::giving_up(place, turn.thread_id));
}

std::string told_of_unused(const place::Place& place, const store::Turn& turn) {
    const place::TurnOptions& given = place.options;
    const chat::Json stored = chat::parse_json(store::options_json(turn), "turn options");
    const bool is_its_thread = given.thread == std::to_string(place.thread.id) ||
                               given.thread == place.thread.branch ||
                               given.thread == store::given_name(place.thread.branch);
    std::vector<std::string> unused;
    if (!given.model.empty() && given.model != chat::string_or(stored, "model"))
        unused.emplace_back("--model");
    if (!given.thread.empty() && !is_its_thread) unused.emplace_back("--thread");
    if (!given.directory.empty() && sys::real_path(given.directory) != turn.working_directory)
        unused.emplace_back("--directory");
    if (given.fresh && !store::is_fresh(turn)) unused.emplace_back("--fresh");
    const auto permissions = place::permissions_of_turn(turn);
    if (given.permissions && (!permissions || permissions->json != given.permissions->json))
        unused.emplace_back("--permissions");
    if (unused.empty()) return {};
    return "turn " + std::to_string(turn.turn_number) +
           " has this idempotency key and continues as it was begun; ignored: " +
           base::join(unused, ", ");
}

}  // namespace chorus::turn
