// The catalog: how each provider is reached, where its server deviates from its protocol, and what
// is known of its models. The data is template/models.json and the home's models.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::model {

enum class Protocol { anthropic, responses, chat, gemini, ollama, script };

// Which reasoning a server of the chat protocol expects back with the assistant's message.
enum class ReasoningBack {
    none,
    content,  // `reasoning_content` on messages with tool calls, "" if there was none
    details,  // `reasoning_details` as received
};

struct Quirks {
    std::string max_tokens = "max_tokens";
    std::string system_role = "system";
    ReasoningBack reasoning = ReasoningBack::none;
    bool stream_options = true;  // false: the server refuses them and reports usage anyway
    bool parallel_tool_calls = true;
    bool short_call_ids = false;  // ids of exactly nine letters and digits
    bool document_url = false;    // an attached PDF is a document_url, not a file
    std::string keep_alive = {};  // how long the server keeps the model loaded; "": its default
    std::string effort = {};      // of a request that names none
};

// Says what a provider takes as attachments. A limit that is not known is 0.
struct AttachmentLimits {
    std::optional<std::vector<std::string>> types = {};  // MIME types; nothing: not known
    std::int64_t image_bytes = 0;                        // of a file
    std::int64_t pdf_bytes = 0;
    std::int64_t request_bytes = 0;  // of a whole request, in which a file is a third larger
};

struct Provider {
    std::string name;
    Protocol protocol = Protocol::chat;
    std::string base_url;
    std::string key_variable;
    bool needs_key = true;      // false: the key is sent only if there is one
    std::string default_model;  // "" if there is none
    std::string models_of;      // the provider whose models it serves too, or ""
    Quirks quirks = {};
    std::optional<Quirks> quirks_elsewhere;  // at a base URL that is not its own
    std::string key_header;                  // "api-key"; "": the protocol's
    std::map<std::string, std::string> headers = {};
    std::map<std::string, std::string> query = {};
    AttachmentLimits attachments = {};
};

// Micro-dollars per million tokens, for prompts of more than above_tokens.
struct Price {
    std::int64_t above_tokens = 0;
    std::int64_t input = 0;
    std::int64_t output = 0;
    std::optional<std::int64_t> cache_read = {};  // empty: not known
    std::optional<std::int64_t> cache_write = {};
};

struct ModelFacts {
    std::int64_t context_tokens = 0;     // 0: not known
    std::int64_t max_output_tokens = 0;  // likewise
    std::vector<std::string> input;      // "text", "image", "pdf", …; empty: not known
    // The values of the provider's reasoning effort, none for a model that does not reason.
    std::optional<std::vector<std::string>> effort = {};
    bool takes_temperature = true;
    bool calls_tools = true;
    std::optional<bool> takes_schema = {};
    std::vector<Price> prices;  // by above_tokens, the first above 0; empty: not known
    std::string retires;        // "2027-07-24", or ""
    std::string read;           // when the figures were read

    // The longest prompt that leaves room for the longest answer, but at least half of the context;
    // 0: not known.
    std::int64_t prompt_tokens() const;
};

class Catalog {
  public:
    // The built-in rows, and over them those of `own`, as compile_rows() returned them.
    explicit Catalog(std::string own = {});

    std::vector<std::string> provider_names() const;  // in order of preference
    bool has_provider(std::string_view name) const;
    std::optional<Provider> find_provider(std::string_view name) const;
    // Throws Error(no_driver) that lists the providers.
    Provider require_provider(std::string_view name) const;

    // The models with a row, in full. Rows of families ("claude-*") are not among them.
    std::vector<std::string> model_names(std::string_view provider) const;
    // `model` is a full name: one with a row, another name of its, the name with a date at its end,
    // or one of a family, of which no price is known. Returns the name whose row it is.
    std::string row_of(std::string_view model) const;
    // All members are unknown for a model without a row.
    ModelFacts facts(std::string_view model) const;

    // The home's rows, compiled, for another Catalog of the same version of Chorus.
    const std::string& own_rows() const { return own_; }

  private:
    std::optional<std::string_view> find(std::string_view key) const;
    std::optional<std::string> find_family(std::string_view model) const;

    std::string own_;
};

// Returns the catalog of a home with that models.json ("": none). Throws Error(config_invalid),
// which begins with `file`.
Catalog catalog_of(std::string_view models_json, std::string_view file);
// Adds the rows that providers listed (available_models.json, model/choice.hpp) of models that have
// none. Throws likewise.
Catalog with_listed(Catalog catalog, std::string_view available_json, std::string_view file);

// Returns the provider's quirks at that base URL ("": its own).
const Quirks& quirks_at(const Provider& provider, std::string_view base_url);

// Throws Error(config_invalid), which begins with `where`, if a request to the provider could not
// be made: its base URL, key variable, headers or query are invalid.
void check_provider(const Provider& provider, const std::string& where);

// Returns why a base URL is invalid, or "".
std::string base_url_problem(std::string_view url);

// Whether an environment variable of this name holds a key. Every key_variable has such a name.
bool is_key_variable(std::string_view name);
// Returns why no variable with a key has that name, or "".
std::string key_variable_problem(std::string_view name);

}  // namespace chorus::model
