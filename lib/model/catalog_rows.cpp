#include "model/catalog_rows.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/catalog_reading.hpp"

namespace chorus::model {
namespace {

using chat::Json;

constexpr char family_mark = '*';
constexpr std::string_view built_in = "builtin";

[[noreturn]] void refuse_row(const std::string& where, const std::string& why) {
    throw base::Error(base::ErrorCode::config_invalid, where + ": " + why);
}

// One line of the rows. `begin` and `end` are where it is among them.
struct Row {
    std::string_view key;
    std::string_view json;
    std::size_t begin;
    std::size_t end;  // of its newline
};

Row row_around(std::string_view rows, std::size_t offset) {
    const std::size_t before = offset == 0 ? rows.npos : rows.rfind('\n', offset - 1);
    const std::size_t begin = before == rows.npos ? 0 : before + 1;
    const std::size_t end = std::min(rows.find('\n', offset), rows.size());
    const std::string_view line = rows.substr(begin, end - begin);
    const std::size_t tab = std::min(line.find('\t'), line.size());
    return {line.substr(0, tab), line.substr(std::min(tab + 1, line.size())), begin, end};
}

// Where the first row is whose key is not before this one.
std::size_t lower_bound(std::string_view rows, std::string_view key) {
    std::size_t low = 0;
    std::size_t high = rows.size();
    while (low < high) {
        const Row row = row_around(rows, low + (high - low) / 2);
        if (row.key < key)
            low = row.end + 1;
        else
            high = row.begin;
    }
    return low;
}

// Compiles one source over the rows below it.
class Compiler {
  public:
    Compiler(std::string_view file, std::string_view below, std::string_view today)
        : file_(file), below_(below), today_(today) {}

    std::string compile(const Json& source) {
        if (!source.is_object()) refuse_row(file_, "expected an object");
        for (const auto& [name, value] : source.items()) {
            static constexpr std::array known{"providers", "preference", "source", "note", "notes"};
            if (std::find(known.begin(), known.end(), name) == known.end())
                refuse_row(file_, "unknown member " + base::quoted(name));
            if (name == "providers" && !value.is_null()) add_providers(value);
        }
        if (const Json& names = chat::member(source, "preference"); !names.is_null())
            add_preference(names);
        std::string rows;
        for (const auto& [key, json] : rows_) rows += key + '\t' + json + '\n';
        return rows;
    }

  private:
    void add_providers(const Json& providers) {
        const std::string where = file_ + ": providers";
        if (!providers.is_object()) refuse_row(where, "expected an object");
        for (const auto& [name, row] : providers.items())
            add_provider(name, row, where + "." + name);
    }

    void add_provider(const std::string& name, const Json& own, const std::string& where) {
        check_name(name, where);
        if (name.find('/') != name.npos) refuse_row(where, "the name contains a \"/\"");
        if (name == built_in && !below_.empty()) refuse_row(where, "it cannot be changed");
        if (own.is_null()) return put(name, own);
        if (!own.is_object()) refuse_row(where, "expected an object");
        Json row = merged(name, own);
        const Json models = std::exchange(row["models"], Json());
        row.erase("models");
        const Provider provider = read_provider(row, where);
        if (provider.protocol == Protocol::script && name != built_in)
            refuse_row(where + ".protocol", "only the provider builtin has it");
        if (provider.models_of == name) refuse_row(where + ".models_of", "it names itself");
        if (!provider.models_of.empty() && !has(provider.models_of))
            refuse_row(where + ".models_of", "no provider " + base::quoted(provider.models_of));
        put(name, row);
        if (!models.is_null() && !models.is_object())
            refuse_row(where + ".models", "expected an object");
        for (const auto& [model, json] : models.items()) {
            check_name(model, where + ".models." + model);
            add_model(name + "/" + model, json, where + ".models." + model);
        }
        check_default(name, provider, where);
    }

    void add_model(const std::string& name, const Json& own, const std::string& where) {
        if (rows_.contains(name)) refuse_row(where, "it is another name of a model already");
        if (own.is_null()) return put(name, own);
        if (!own.is_object()) refuse_row(where, "expected an object");
        Json row = merged(name, own);
        const Json aliases = std::exchange(row["aliases"], Json());
        row.erase("aliases");
        const ModelFacts facts = read_model(row, where, today_);
        if (name.back() == family_mark && !facts.prices.empty())
            refuse_row(where + ".price", "models of one family have prices of their own");
        put(name, row);
        if (aliases.is_null()) return;
        if (!aliases.is_array()) refuse_row(where + ".aliases", "expected a list of texts");
        const std::string provider = name.substr(0, name.find('/') + 1);
        for (const Json& alias : aliases) {
            if (!alias.is_string()) refuse_row(where + ".aliases", "expected a list of texts");
            const std::string other = alias.get<std::string>();
            check_name(other, where + ".aliases");
            if (rows_.contains(provider + other))
                refuse_row(where + ".aliases", "another model has the name " + base::quoted(other));
            put(provider + other, name);
        }
    }

    void add_preference(const Json& names) {
        const std::string where = file_ + ": preference";
        if (!names.is_array()) refuse_row(where, "expected a list of providers");
        for (const Json& name : names)
            if (!name.is_string() || !has(name.get<std::string>()))
                refuse_row(where, "no provider " + base::quoted(chat::dump(name)));
        put("", names);
    }

    void check_name(const std::string& name, const std::string& where) const {
        if (name.empty()) refuse_row(where, "the name is empty");
        if (base::find_hidden(name) || name.find_first_of(" \t\n") != name.npos)
            refuse_row(where, "the name contains a blank or a control character");
    }

    void check_default(const std::string& name, const Provider& provider,
                       const std::string& where) const {
        if (provider.default_model.empty() || !provider.models_of.empty()) return;
        if (!has(name + "/" + provider.default_model))
            refuse_row(where + ".default_model",
                       "no row for " + base::quoted(provider.default_model) + " in models");
    }

    // The row below with what differs. A member that is null is removed, but in a price it is a
    // figure that is not known.
    Json merged(const std::string& key, const Json& own) const {
        Json row = Json::object();
        if (const auto found = find_row(below_, key))
            if (const Json below = Json::parse(*found); below.is_object()) row = below;
        for (const auto& [name, value] : own.items()) {
            if (value.is_null() && name != "price")
                row.erase(name);
            else if (name == "price" && value.is_object() && row.contains(name) &&
                     row[name].is_object())
                row[name].update(value);
            else if (value.is_object() && name != "models" && name != "price")
                row[name].merge_patch(value);
            else
                row[name] = value;
        }
        return row;
    }

    bool has(const std::string& key) const { return rows_.contains(key) || find_row(below_, key); }
    // Leaves out the members that only people read.
    void put(const std::string& key, Json json) {
        for (const char* name : {"source", "note", "notes"})
            if (json.is_object()) json.erase(name);
        rows_[key] = chat::dump(json);
    }

    std::string file_;
    std::string_view below_;
    std::string_view today_;
    std::map<std::string, std::string> rows_;
};

}  // namespace

std::string compile_rows(std::string_view source, std::string_view file, std::string_view below,
                         std::string_view today) {
    const Json json = chat::parse_json(source, file, chat::DuplicateKeys::refuse,
                                       base::limits::json_bytes, base::ErrorCode::config_invalid);
    return Compiler(file, below, today).compile(json);
}

std::string merged_rows(std::string_view above, std::string_view below) {
    std::map<std::string_view, std::string_view> lines;
    for (const std::string_view rows : {above, below})
        for (std::size_t at = 0; at < rows.size();) {
            const Row row = row_around(rows, at);
            lines.emplace(row.key, rows.substr(row.begin, row.end - row.begin));
            at = row.end + 1;
        }
    std::string merged;
    for (const auto& [key, line] : lines) merged.append(line).append("\n");
    return merged;
}

std::optional<std::string_view> find_row(std::string_view rows, std::string_view key) {
    const std::size_t at = lower_bound(rows, key);
    if (at >= rows.size()) return std::nullopt;
    const Row row = row_around(rows, at);
    if (row.key != key) return std::nullopt;
    return row.json;
}

std::vector<std::string> row_keys(std::string_view rows, std::string_view start) {
    std::vector<std::string> keys;
    for (std::size_t at = lower_bound(rows, start); at < rows.size();) {
        const Row row = row_around(rows, at);
        if (!row.key.starts_with(start)) break;
        if (!start.empty() || (!row.key.empty() && row.key.find('/') == row.key.npos))
            keys.emplace_back(row.key);
        at = row.end + 1;
    }
    return keys;
}

}  // namespace chorus::model
