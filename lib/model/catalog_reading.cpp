#include "model/catalog_reading.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "model/attachment.hpp"

namespace chorus::model {
namespace {

using chat::Json;

constexpr base::EnumNames<Protocol, 6> protocols{
    {"anthropic", "responses", "chat", "gemini", "ollama", "builtin"}};
constexpr base::EnumNames<ReasoningBack, 3> reasonings{{"none", "content", "details"}};
constexpr base::EnumNames<bool, 2> token_fields{{"max_tokens", "max_completion_tokens"}};
constexpr base::EnumNames<bool, 2> pdf_parts{{"file", "document_url"}};
constexpr base::EnumNames<bool, 2> system_roles{{"system", "developer"}};
constexpr std::array<std::string_view, 5> input_kinds{"text", "image", "pdf", "audio", "video"};

constexpr std::array<std::string_view, 5> key_ends{"_API_KEY", "_TOKEN", "_ACCESS_KEY",
                                                   "_SECRET_KEY", "_AUTH_KEY"};

constexpr double most_dollars = 1'000'000;  // for a million tokens
constexpr double micro = 1'000'000;

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
    throw base::Error(base::ErrorCode::config_invalid, where + ": " + why);
}

void refuse_controls(const std::string& value, const std::string& where) {
    if (base::find_hidden(value) || value.find('\n') != value.npos)
        refuse(where, "it contains a control character");
}

// The members of an object, each read by name; refuse_others() then knows those that nobody reads.
class Members {
  public:
    Members(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
        if (!object.is_object()) refuse(where_, "expected an object");
    }

    // Null if there is none.
    const Json* find(const char* name) {
        known_.emplace_back(name);
        const auto found = object_.find(name);
        return found == object_.end() ? nullptr : &*found;
    }
    std::string where(const char* name) const { return where_ + "." + name; }

    void text(const char* name, std::string& value) {
        const Json* found = find(name);
        if (found == nullptr) return;
        if (!found->is_string()) refuse(where(name), "expected text");
        value = found->get<std::string>();
        refuse_controls(value, where(name));
    }
    void flag(const char* name, bool& value) {
        const Json* found = find(name);
        if (found == nullptr) return;
        if (!found->is_boolean()) refuse(where(name), "expected true or false");
        value = found->get<bool>();
    }
    void count(const char* name, std::int64_t& value) {
        const Json* found = find(name);
        if (found == nullptr) return;
        constexpr std::int64_t most = 1'000'000'000'000;
        if (!found->is_number_integer() || found->get<std::int64_t>() < 0 ||
            found->get<std::int64_t>() > most)
            refuse(where(name), "expected a whole number");
        value = found->get<std::int64_t>();
    }
    // A text or a list of texts.
    void texts(const char* name, std::vector<std::string>& value) {
        const Json* found = find(name);
        if (found == nullptr) return;
        const Json list = found->is_string() ? Json::array({*found}) : *found;
        if (!list.is_array()) refuse(where(name), "expected a list of texts");
        value.clear();
        for (const Json& each : list) {
            if (!each.is_string()) refuse(where(name), "expected a list of texts");
            value.push_back(each.get<std::string>());
        }
    }
    void text_map(const char* name, std::map<std::string, std::string>& value) {
        const Json* found = find(name);
        if (found == nullptr) return;
        if (!found->is_object()) refuse(where(name), "expected an object");
        Members each(*found, where(name));
        for (const auto& [key, unused] : found->items()) each.text(key.c_str(), value[key]);
    }
    template <typename Enum, std::size_t size>
    void one_of(const char* name, const base::EnumNames<Enum, size>& names, Enum& value) {
        if (find(name) == nullptr) return;
        std::string given;
        text(name, given);
        const auto found = names.find(given);
        if (!found)
            refuse(where(name), "expected one of " +
                                    base::quoted_list({names.names.begin(), names.names.end()}));
        value = *found;
    }
    void date(const char* name, std::string& value) {
        text(name, value);
        if (!value.empty() && !base::parse_iso8601(value + "T00:00:00Z"))
            refuse(where(name), "expected a date, as \"2026-02-12\"");
    }

    void refuse_others() const {
        for (const auto& [name, unused] : object_.items()) {
            if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
            throw base::Error(
                base::ErrorCode::config_invalid, where_ + ": unknown member " + base::quoted(name),
                base::did_you_mean(name, known_) + "the members are " + base::quoted_list(known_));
        }
    }

  private:
    const Json& object_;
    std::string where_;
    std::vector<std::string> known_;
};

void read_origin(Members& members) {
    std::vector<std::string> unused;
    for (const char* name : {"source", "note", "notes"}) members.texts(name, unused);
}

Quirks read_quirks(const Json& row, const std::string& where) {
    Quirks quirks;
    Members members(row, where);
    bool is_newer = false;
    members.one_of("max_tokens", token_fields, is_newer);
    quirks.max_tokens = token_fields.name(is_newer);
    bool is_developer = false;
    members.one_of("system_role", system_roles, is_developer);
    quirks.system_role = system_roles.name(is_developer);
    members.one_of("reasoning", reasonings, quirks.reasoning);
    members.flag("stream_options", quirks.stream_options);
    members.flag("parallel_tool_calls", quirks.parallel_tool_calls);
    members.flag("short_call_ids", quirks.short_call_ids);
    members.one_of("pdf", pdf_parts, quirks.document_url);
    members.text("keep_alive", quirks.keep_alive);
    members.refuse_others();
    return quirks;
}

AttachmentLimits read_attachments(const Json& row, const std::string& where) {
    AttachmentLimits limits;
    Members members(row, where);
    std::vector<std::string> types;
    members.texts("types", types);
    for (const std::string& type : types)
        if (!is_sent_as_bytes(type))
            refuse(members.where("types"), base::quoted(type) + " is not a type that can be sent");
    if (row.contains("types")) limits.types = types;
    members.count("image_bytes", limits.image_bytes);
    members.count("pdf_bytes", limits.pdf_bytes);
    members.count("request_bytes", limits.request_bytes);
    members.refuse_others();
    return limits;
}

std::int64_t micro_dollars(const Json& value, const std::string& where) {
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0 ||
        value.get<double>() > most_dollars)
        refuse(where, "expected dollars for a million tokens");
    return std::llround(value.get<double>() * micro);
}

// Without a member, these tokens cost what others of the input do.
std::optional<std::int64_t> cache_price(Members& members, const char* name, std::int64_t input) {
    const Json* found = members.find(name);
    if (found == nullptr) return input;
    if (found->is_null()) return std::nullopt;
    return micro_dollars(*found, members.where(name));
}

Price read_price(Members& members, const char* length) {
    Price price;
    if (length != nullptr) members.count(length, price.above_tokens);
    for (const auto& [name, value] :
         {std::pair("input", &price.input), {"output", &price.output}}) {
        const Json* found = members.find(name);
        if (found == nullptr) refuse(members.where(name), "missing");
        *value = micro_dollars(*found, members.where(name));
    }
    price.cache_read = cache_price(members, "cache_read", price.input);
    price.cache_write = cache_price(members, "cache_write", price.input);
    return price;
}

std::vector<Price> read_prices(const Json& row, const std::string& where) {
    Members members(row, where);
    std::vector<Price> prices{read_price(members, nullptr)};
    const Json* tiers = members.find("tiers");
    members.refuse_others();
    if (tiers == nullptr) return prices;
    if (!tiers->is_array()) refuse(members.where("tiers"), "expected a list");
    for (const Json& tier : *tiers) {
        Members each(tier, members.where("tiers"));
        prices.push_back(read_price(each, "above_tokens"));
        each.refuse_others();
        if (prices.back().above_tokens <= (prices.end() - 2)->above_tokens)
            refuse(members.where("tiers"), "above_tokens does not grow");
    }
    return prices;
}

bool has_only_letters_digits_and(std::string_view others, std::string_view text) {
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               others.find(c) != others.npos;
    });
}

// A query's names and values are sent as they are, so they must need no percent-encoding.
bool is_plain(std::string_view text) {
    return has_only_letters_digits_and("-._~", text);
}

bool is_header_name(std::string_view name) {
    return !name.empty() && has_only_letters_digits_and("-", name);
}

// Headers that say where a request ends or goes are not for a person to set.
bool is_of_the_connection(std::string_view name) {
    static constexpr std::array names{"connection", "content-length",    "expect",
                                      "host",       "keep-alive",        "te",
                                      "trailer",    "transfer-encoding", "upgrade"};
    return std::find(names.begin(), names.end(), base::to_lower_ascii(name)) != names.end();
}

void check_header(const std::string& name, const std::string& where) {
    if (!is_header_name(name)) refuse(where, base::quoted(name) + " is not the name of a header");
    if (is_of_the_connection(name)) refuse(where, name + " belongs to the connection");
}

}  // namespace

void check_provider(const Provider& provider, const std::string& where) {
    if (provider.protocol == Protocol::script) return;
    if (provider.base_url.empty()) refuse(where + ".base_url", "missing");
    if (const std::string why = base_url_problem(provider.base_url); !why.empty())
        refuse(where + ".base_url", why);
    if (provider.key_variable.empty() && provider.needs_key)
        refuse(where + ".key_variable", "missing");
    const std::string& variable = provider.key_variable;
    if (const std::string why = key_variable_problem(variable); !variable.empty() && !why.empty())
        refuse(where + ".key_variable", why);
    if (!provider.key_header.empty()) check_header(provider.key_header, where + ".key_header");
    for (const auto& [name, value] : provider.headers) {
        check_header(name, where + ".headers");
        refuse_controls(value, where + ".headers." + name);
        if (!provider.key_header.empty() &&
            base::to_lower_ascii(name) == base::to_lower_ascii(provider.key_header))
            refuse(where + ".headers", name + " carries the key");
    }
    for (const auto& [name, value] : provider.query)
        if (name.empty() || !is_plain(name) || !is_plain(value))
            refuse(where + ".query", "names and values consist of letters, digits and \"-._~\"");
}

std::string base_url_problem(std::string_view url) {
    if (url.find_first_of(" \t\r\n") != url.npos) return "it holds a blank";
    if (!url.starts_with("https://") && !url.starts_with("http://"))
        return "it does not begin with https:// or http://";
    if (url.find('#') != url.npos) return "it holds a fragment (#…), which is never sent";
    return {};
}

bool is_key_variable(std::string_view name) {
    return std::any_of(key_ends.begin(), key_ends.end(),
                       [&](std::string_view end) { return name.ends_with(end); });
}

std::string key_variable_problem(std::string_view name) {
    if (!has_only_letters_digits_and("_", name)) return "not the name of a variable";
    if (is_key_variable(name)) return {};
    return "the name does not end in one of " +
           base::quoted_list({key_ends.begin(), key_ends.end()});
}

Provider read_provider(const Json& row, const std::string& where) {
    Provider provider;
    Members members(row, where);
    read_origin(members);
    std::string unused;
    members.date("read", unused);
    if (members.find("protocol") == nullptr) refuse(members.where("protocol"), "missing");
    members.one_of("protocol", protocols, provider.protocol);
    members.text("base_url", provider.base_url);
    members.text("key_variable", provider.key_variable);
    members.flag("needs_key", provider.needs_key);
    members.text("default_model", provider.default_model);
    members.text("models_of", provider.models_of);
    if (const Json* quirks = members.find("quirks"))
        provider.quirks = read_quirks(*quirks, members.where("quirks"));
    if (const Json* quirks = members.find("quirks_elsewhere"))
        provider.quirks_elsewhere = read_quirks(*quirks, members.where("quirks_elsewhere"));
    members.text("key_header", provider.key_header);
    members.text_map("headers", provider.headers);
    members.text_map("query", provider.query);
    if (const Json* attachments = members.find("attachments"))
        provider.attachments = read_attachments(*attachments, members.where("attachments"));
    members.refuse_others();
    check_provider(provider, where);
    return provider;
}

ModelFacts read_model(const Json& row, const std::string& where, std::string_view today) {
    ModelFacts facts;
    Members members(row, where);
    read_origin(members);
    members.date("read", facts.read);
    if (!today.empty() && facts.read > today)
        refuse(members.where("read"), base::quoted(facts.read) + " is in the future");
    members.date("retires", facts.retires);
    members.count("context_tokens", facts.context_tokens);
    members.count("max_output_tokens", facts.max_output_tokens);
    members.texts("input", facts.input);
    for (const std::string& kind : facts.input)
        if (std::find(input_kinds.begin(), input_kinds.end(), kind) == input_kinds.end())
            refuse(members.where("input"),
                   base::quoted(kind) + " is not one of " +
                       base::quoted_list({input_kinds.begin(), input_kinds.end()}));
    std::vector<std::string> effort;
    members.texts("effort", effort);
    if (row.contains("effort")) facts.effort = effort;
    members.flag("temperature", facts.takes_temperature);
    members.flag("tools", facts.calls_tools);
    bool schema = false;
    members.flag("json_schema", schema);
    if (row.contains("json_schema")) facts.takes_schema = schema;
    if (const Json* price = members.find("price"); price != nullptr && !price->is_null()) {
        if (facts.read.empty()) refuse(members.where("read"), "a price needs its date");
        facts.prices = read_prices(*price, members.where("price"));
    }
    members.refuse_others();
    return facts;
}

}  // namespace chorus::model
