#include "tools/obeyed.hpp"

#include "base/text.hpp"
#include "sys/file.hpp"
#include "tools/task_tools.hpp"

namespace chorus::tools {
bool may_be_obeyed(const Workplace& workplace, const std::string& path) {
    // names that make a directory of any name a repository
    for (const std::string_view part : base::split(path, '/'))
        if (part == "HEAD" || part == "commondir" || part == "objects" || part == "refs")
            return true;
    return sys::Plants::is_settings_file(path) ||
           sys::Plants::is_pointed_to(workplace.root.path(), path);
}

task::KeptPlants look_for_plants(const Workplace& workplace) {
    return {workplace.root.path(), workplace.plants_file};
}

std::string tell_plants(task::KeptPlants& before, std::string_view when,
                        const Workplace& workplace) {
    const sys::PlantReport report = before.report();
    if (report.line.empty()) return {};
    const std::string begin = std::string(when) + ", ";
    return alert(workplace, {begin + report.line, begin + report.record},
                 task::plants_advice(workplace.root.path()));
}

std::string alert(const Workplace& workplace, const sys::PlantReport& report,
                  const std::string& advice) {
    if (workplace.alert) workplace.alert({report.line + advice, report.record});
    return "[" + report.line + "; the audit log records it]\n";
}

std::string guarding_task(const Workplace& workplace, const std::string& path) {
    const std::string canonical = workplace.root.canonical(path);
    if (workplace.tasks == nullptr || canonical.find('/') != canonical.npos ||
        !sys::Plants::is_settings_file(canonical) ||
        !sys::exists(workplace.root.path() + "/" + canonical))
        return {};
    const std::lock_guard guard(workplace.tasks->mutex);
    for (const store::Task& task : task::settle(workplace.tasks->site))
        if (task.directory == workplace.root.path()) return task.id;
    return {};
}

std::vector<std::string> guarded_files(const Workplace& workplace) {
    std::vector<std::string> files;
    for (const std::string_view name : sys::Plants::settings_files())
        if (!guarding_task(workplace, std::string(name)).empty()) files.emplace_back(name);
    return files;
}

}  // namespace chorus::tools
