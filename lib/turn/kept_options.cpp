#include "turn/kept_options.hpp"

#include "base/error.hpp"
#include "chat/json.hpp"
#include "chat/json_text.hpp"
#include "place/rights.hpp"
#include "turn/keyed.hpp"

namespace chorus::turn {

using base::Error;
using base::ErrorCode;

namespace {

agent::ModelOptions stored_model_options(const chat::Json& stored) {
    agent::ModelOptions options;
    if (stored.contains("effort")) options.effort = chat::string_or(stored, "effort");
    if (stored.contains("max_tokens")) options.max_tokens = chat::integer_or(stored, "max_tokens");
    if (stored.contains("temperature")) options.temperature = stored["temperature"].get<double>();
    return options;
}

}  // namespace

std::string kept_options(const place::TurnOptions& options, const place::Settings& settings,
                         const policy::Redaction& redaction, const std::string& branch) {
    chat::JsonText out;
    out.begin_object().key("model").string(options.model.empty() ? "" : settings.model);
    out.key("max_iterations").number(settings.max_iterations);
    if (!options.fallback_model.empty())
        out.member("fallback_model",
                   settings.fallback_model.empty() ? settings.model : settings.fallback_model);
    const agent::ModelOptions& given = options.model_options;
    if (given.effort) out.member("effort", *given.effort);
    if (given.max_tokens) out.member("max_tokens", *given.max_tokens);
    if (given.temperature) out.key("temperature").real(*given.temperature);
    if (options.max_usd) out.key("max_usd").number(*options.max_usd);
    out.key("on_ask").string(place::on_asks.name(options.on_ask));
    if (!options.idempotency_key.empty()) out.key("said").string(hash_of_said(options));
    if (!branch.empty()) out.key("branch").string(branch);
    if (options.fresh) out.key("fresh").boolean(true);
    if (options.ephemeral) out.key("ephemeral").boolean(true);
    if (!options.json_schema.empty()) out.key("json_schema").raw(options.json_schema);
    if (options.permissions) out.key("permissions").raw(options.permissions->json);
    if (!options.metadata.empty()) out.key("metadata").raw(redaction.apply(options.metadata));
    return out.end_object().take();
}

place::TurnOptions options_to_resume(const place::TurnOptions& given, const store::Turn& turn) {
    place::TurnOptions options = given;
    const chat::Json stored = chat::parse_json(store::options_json(turn), "turn options");
    options.model = chat::string_or(stored, "model");
    options.names_are_full = true;
    if (model::is_replay(options.model))
        throw Error(
            ErrorCode::bad_request,
            "the turn replays a recording, which starts at its prompt: it cannot be continued",
            "chorus-run " + given.agent + " --cancel-prompts -m " + options.model + " PROMPT");
    if (!options.max_iterations)
        options.max_iterations = chat::integer_or(stored, "max_iterations", 25);
    if (!options.max_usd && stored.contains("max_usd"))
        options.max_usd = chat::integer_or(stored, "max_usd");
    options.fallback_model = chat::string_or(stored, "fallback_model");
    options.model_options = stored_model_options(stored);
    options.fresh = store::is_fresh(turn);
    options.ephemeral = stored.contains("ephemeral");
    if (stored.contains("json_schema")) options.json_schema = chat::dump(stored["json_schema"]);
    options.permissions = place::permissions_of_turn(turn);
    options.directory = turn.working_directory;
    if (!given.on_ask_given)
        options.on_ask =
            place::on_asks.find(chat::string_or(stored, "on_ask")).value_or(place::OnAsk::suspend);
    return options;
}

std::string renewed_options(const store::Turn& turn, const place::TurnOptions& options,
                            const policy::Redaction& redaction) {
    chat::Json stored = chat::parse_json(store::options_json(turn), "turn options");
    stored["max_iterations"] = *options.max_iterations;
    if (options.max_usd) stored["max_usd"] = *options.max_usd;
    stored["on_ask"] = std::string(place::on_asks.name(options.on_ask));
    if (!options.metadata.empty())
        stored["metadata"].update(chat::parse_json(redaction.apply(options.metadata), "metadata"));
    return chat::dump(stored);
}

}  // namespace chorus::turn
