#include "agent/preset.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "agent/home.hpp"
#include "base/error.hpp"
#include "base/id.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "sys/file.hpp"
#include "sys/path_rules.hpp"

namespace chorus::agent {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Json;

constexpr int most_depth = 16;

struct PresetFile {
    std::string_view path;
    // The front matter's first line is the second of the file.
    std::string place(const YAML::Mark& mark) const {
        return failed() + ": line " + std::to_string(std::max(mark.line, 0) + 2);
    }
    [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& why) const {
        throw Error(ErrorCode::config_invalid, place(mark) + ": " + why, hint);
    }
    [[noreturn]] void refuse(const std::string& why) const {
        throw Error(ErrorCode::config_invalid, failed() + ": " + why, hint);
    }

  private:
    static constexpr const char* hint = "chorus-preset(5) describes the file";
    std::string failed() const {
        return "Failed to load preset from " + base::visible(path, base::Newlines::escape);
    }
};

// One key of a mapping, with what is needed to say where it is wrong.
class Value {
  public:
    Value(const PresetFile& file, std::string key, YAML::Node node)
        : file_(file), key_(std::move(key)), node_(std::move(node)) {}
    const std::string& key() const { return key_; }
    const YAML::Node& node() const { return node_; }

    std::string place() const { return file_.place(node_.Mark()); }
    [[noreturn]] void refuse(const std::string& why) const {
        file_.refuse(node_.Mark(), key_ + ": " + why);
    }
    std::string text(const char* wanted = "a text") const {
        if (!node_.IsScalar()) refuse(std::string("must be ") + wanted);
        if (node_.Scalar().find('\0') != std::string::npos) refuse("contains a NUL byte");
        return node_.Scalar();
    }
    bool flag() const {
        bool value = false;
        if (!node_.IsScalar() || !YAML::convert<bool>::decode(node_, value))
            refuse("must be true or false");
        return value;
    }
    template <typename Number>
    Number number(Number least, Number most, const std::string& wanted) const {
        Number value{};
        if (!node_.IsScalar() || node_.Tag() == "!" ||
            !YAML::convert<Number>::decode(node_, value) || !(value >= least && value <= most))
            refuse("must be " + wanted);
        return value;
    }
    std::vector<std::string> list() const {
        if (!node_.IsSequence()) refuse("must be a list of texts");
        std::vector<std::string> items;
        for (const YAML::Node& item : node_)
            items.push_back(Value(file_, key_, item).text("a list of texts"));
        return items;
    }
    // The members, in order; each key once.
    std::vector<Value> members() const {
        if (!node_.IsMap() && key_.empty())
            file_.refuse(node_.Mark(), "the front matter must be a mapping");
        if (!node_.IsMap()) refuse("must be a mapping");
        std::vector<Value> members;
        std::set<std::string> seen;
        for (const auto& entry : node_) {
            const YAML::Node& key = entry.first;
            if (!key.IsScalar()) file_.refuse(key.Mark(), "a key must be a text");
            const std::string name = (key_.empty() ? "" : key_ + ".") + key.Scalar();
            if (!seen.insert(name).second) file_.refuse(key.Mark(), name + ": given twice");
            members.emplace_back(file_, name, entry.second);
        }
        return members;
    }
    Json json(int depth = 0) const {
        if (depth > most_depth) refuse("nested too deeply");
        if (node_.IsNull()) return nullptr;
        if (node_.IsSequence()) {
            Json array = Json::array();
            for (const YAML::Node& item : node_)
                array.push_back(Value(file_, key_, item).json(depth + 1));
            return array;
        }
        if (node_.IsMap()) {
            Json object = Json::object();
            for (const Value& member : members())
                object[member.key_.substr(key_.size() + 1)] = member.json(depth + 1);
            return object;
        }
        if (bool value = false; node_.Tag() != "!" && YAML::convert<bool>::decode(node_, value))
            return value;
        return text();
    }

  private:
    const PresetFile& file_;
    std::string key_;
    YAML::Node node_;
};

constexpr const char* extension = ".md";

std::string installed_presets() {
    return share_directory() + "/presets";
}

std::string backend_name(const Value& value) {
    return base::to_lower_ascii(value.text("the name of a provider"));
}

PathLists path_lists(const Value& value) {
    PathLists lists;
    for (const Value& member : value.members()) {
        if (member.key() != "paths.read" && member.key() != "paths.write" &&
            member.key() != "paths.deny")
            member.refuse("is not known; read, write and deny are");
        if (member.node().IsNull()) continue;
        std::vector<std::string> globs = member.list();
        for (const std::string& glob : globs)
            if (const std::string why = sys::glob_problem(glob); !why.empty())
                member.refuse(base::quoted(glob) + " " + why);
        if (member.key() == "paths.read")
            lists.read = std::move(globs);
        else if (member.key() == "paths.write")
            lists.write = std::move(globs);
        else
            lists.deny = std::move(globs);
    }
    return lists;
}

// Returns whether the key is one.
bool read_key(const Value& value, std::string& backend, Preset& preset) {
    const std::string& key = value.key();
    if (key == "backend")
        backend = backend_name(value);
    else if (key == "model")
        preset.model = value.text("the name of a model");
    else if (key == "description")
        preset.description = value.text();
    else if (key == "tools") {
        preset.tools = value.list();
        preset.tools_place = value.place();
    } else if (key == "permissions")
        preset.permissions = parse_permissions(chat::dump(value.json()), value.place());
    else if (key == "isolate")
        preset.isolate = value.flag();
    else if (key == "paths")
        preset.paths = path_lists(value);
    else if (key == "temperature")
        preset.options.temperature = value.number(0.0, 2.0, "a number from 0 to 2");
    else if (key == "max_tokens")
        preset.options.max_tokens =
            value.number<std::int64_t>(1, 100'000'000, "a number of tokens");
    else if (key == "effort")
        preset.options.effort = value.text();
    else if (key == "confirm-tool-calls")
        preset.confirm_calls = value.node().Scalar() != "auto" && value.flag();
    else if (key == "include-tool-results") {
        if (value.node().Scalar() != "auto" && !value.flag())
            value.refuse("must be true: results are always recorded");
    } else
        return false;
    return true;
}

}  // namespace

std::optional<FrontMatter> find_front_matter(std::string_view text) {
    const auto line_at = [&](std::size_t at) {
        std::string_view line = text.substr(at, text.find('\n', at) - at);
        return line.substr(0, line.find_last_not_of(" \t\r") + 1);
    };
    const auto after = [&](std::size_t at) {
        const std::size_t end = text.find('\n', at);
        return end == std::string_view::npos ? text.size() : end + 1;
    };
    if (line_at(0) != "---") return std::nullopt;
    FrontMatter found{after(0), after(0), text.size(), false};
    while (found.end < text.size() && line_at(found.end) != "---") found.end = after(found.end);
    found.is_ended = found.end < text.size();
    if (found.is_ended) found.body = after(found.end);
    return found;
}

namespace {

Preset parse_anew(std::string_view text, std::string_view path) {
    const PresetFile file{path};
    text = base::without_bom(text);
    if (base::find_invalid_utf8(text)) file.refuse("it is not UTF-8");
    Preset preset;
    try {
        const auto front = find_front_matter(text);
        if (front && !front->is_ended) file.refuse("line 1: no line '---' ends the front matter");
        preset.system_message = base::trim(text.substr(front ? front->body : 0));
        if (!front) return preset;
        const YAML::Node root =
            YAML::Load(std::string(text.substr(front->begin, front->end - front->begin)));
        if (root.IsNull()) return preset;
        std::string backend;
        for (const Value& value : Value(file, "", root).members())
            if (!value.node().IsNull() && !read_key(value, backend, preset))
                preset.unread.push_back(value.key());
        if (!backend.empty() && preset.model.empty())
            file.refuse("backend: there is no model beside it");
        if (!backend.empty() && preset.model.find('/') == std::string::npos)
            preset.model = backend + "/" + preset.model;
    } catch (const YAML::Exception& error) {
        file.refuse(error.mark, error.msg);
    }
    return preset;
}

struct Parsed {
    std::string text;
    std::string path;
    Preset preset;
};

}  // namespace

Preset parse_preset(std::string_view text, std::string_view path) {
    // A turn needs the same preset in several places, and YAML costs more than the rest of them.
    thread_local std::optional<Parsed> last;
    if (!last || last->text != text || last->path != path)
        last = Parsed{std::string(text), std::string(path), parse_anew(text, path)};
    return last->preset;
}

std::string preset_text(const std::string& path) {
    if (!sys::exists(path)) PresetFile{path}.refuse("no such file");
    auto text = sys::try_read_file(path, base::limits::config_bytes);
    if (!text) PresetFile{path}.refuse("it cannot be read as a regular file of at most 1 MiB");
    return std::move(*text);
}

Preset load_preset(const std::string& path) {
    return parse_preset(preset_text(path), path);
}

Configuration configuration_of(const Preset& preset) {
    Configuration configuration;
    configuration.model = preset.model;
    configuration.system_prompt = preset.system_message;
    configuration.description = preset.description;
    if (preset.permissions)
        configuration.permissions = *preset.permissions;
    else
        configuration.permissions.name = "open";
    configuration.shared.model_options = preset.options;
    configuration.unread = preset.unread;
    return configuration;
}

std::vector<std::string> preset_names(const Home& home) {
    std::set<std::string> names;
    for (const std::string& directory : {home.presets(), installed_presets()}) {
        if (!sys::is_directory(directory)) continue;
        for (const std::string& file : sys::list_directory(directory))
            if (file.ends_with(extension) && base::is_agent_name(file.substr(0, file.size() - 3)))
                names.insert(file.substr(0, file.size() - 3));
    }
    return {names.begin(), names.end()};
}

std::string require_preset(const Home& home, const std::string& name) {
    if (base::is_agent_name(name))
        for (const std::string& directory : {home.presets(), installed_presets()})
            if (const std::string path = directory + "/" + name + extension; sys::exists(path))
                return path;
    throw Error(ErrorCode::bad_request, "preset " + base::quoted(name) + ": no such preset",
                "there are " + base::quoted_list(preset_names(home)));
}

}  // namespace chorus::agent
