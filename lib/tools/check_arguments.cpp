#include <algorithm>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {
namespace {

std::string expected(const Tool& tool) {
    if (tool.parameters.empty()) return "expected: no arguments";
    std::string text = "expected: ";
    for (const Parameter& parameter : tool.parameters) {
        if (&parameter != &tool.parameters.front()) text += ", ";
        text += std::string(parameter.name) + " (" + std::string(parameter.type);
        if (parameter.type == "array") text += " of strings";
        text += parameter.required ? ", required)" : ")";
    }
    return text;
}

const Parameter* find_parameter(const Tool& tool, const std::string& name) {
    const auto found = std::find_if(tool.parameters.begin(), tool.parameters.end(),
                                    [&](const Parameter& each) { return each.name == name; });
    return found == tool.parameters.end() ? nullptr : &*found;
}

std::string unknown(const Tool& tool, const std::string& name) {
    std::vector<std::string> known;
    for (const Parameter& parameter : tool.parameters) known.emplace_back(parameter.name);
    const std::vector<std::string> near = base::nearest(name, known, 1);
    const std::string question = near.empty() ? "" : " (did you mean '" + near.front() + "'?)";
    return "unknown argument " + base::quoted(name) + question;
}

std::vector<std::string> problems(const Tool& tool, const Arguments& arguments) {
    std::vector<std::string> found;
    for (const Parameter& parameter : tool.parameters)
        if (parameter.required && !arguments.has(std::string(parameter.name)))
            found.push_back("missing '" + std::string(parameter.name) + "'");
    for (const std::string& name : arguments.names()) {
        const Parameter* parameter = find_parameter(tool, name);
        if (parameter == nullptr)
            found.push_back(unknown(tool, name));
        else if (!arguments.fits(name, parameter->type))
            found.push_back("'" + name + "' is not of type " + std::string(parameter->type));
    }
    return found;
}

}  // namespace

std::string check_arguments(const Tool& tool, const Arguments& arguments) {
    const std::string found = arguments.problem().empty()
                                  ? base::join(problems(tool, arguments), ", ")
                                  : arguments.problem();
    if (found.empty()) return {};
    return std::string(tool.name) + ": " + found + "; " + expected(tool);
}

}  // namespace chorus::tools
