#include "store/backup.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "chorus-context/reading.hpp"
#include "chorus-context/verb.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    std::string file;
    bool force = false;
    bool json = false;
};

base::ExitStatus run(const Options& options, Opened& opened) {
    const std::int64_t bytes =
        store::back_up(*opened.store, options.file,
                       options.force ? store::IfThere::replace : store::IfThere::refuse);
    if (options.json) {
        chat::JsonText out;
        out.begin_object();
        write_text(out, "file", options.file);
        std::cout << out.key("size_bytes").number(bytes).end_object().text() << '\n';
    } else {
        std::cout << one_line(options.file) << ": " << bytes << " bytes\n";
    }
    return base::ExitStatus::done;
}

}  // namespace

Action add_backup(CLI::App& verb) {
    const auto options = std::make_shared<Options>();
    verb.add_option("FILE", options->file, "where to")->required();
    verb.add_flag("--force", options->force, "replace a file that is there");
    verb.add_flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
