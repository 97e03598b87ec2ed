#include "store/backup.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "chorus-context/reading.hpp"
#include "chorus-context/verb.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    Output output;
    bool json = false;
};

base::ExitStatus run(const Options& options, Opened& opened) {
    const sys::OutputFile file = output_file(opened, options.output);
    const std::int64_t bytes = store::back_up(*opened.store, file);
    std::ostream& told = file.is_stdout() ? std::cerr : std::cout;
    if (options.json) {
        chat::JsonText out;
        out.begin_object();
        write_text(out, "file", options.output.file);
        told << out.key("size_bytes").number(bytes).end_object().text() << '\n';
    } else {
        told << one_line(options.output.file) << ": " << bytes << " bytes\n";
    }
    return base::ExitStatus::done;
}

}  // namespace

Action add_backup(CLI::App& verb) {
    const auto options = std::make_shared<Options>();
    verb.add_option("FILE", options->output.file, "where to")->required();
    add_force(verb, options->output);
    verb.add_flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
