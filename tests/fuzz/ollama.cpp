#include "model/ollama.hpp"

#include "fuzz/dialect.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace chorus;
    static const model::Origin origin{"ollama", "m"};
    static const fuzz::Dialect dialect{
        origin, [](const model::StreamSink& sink) { return model::ollama_decoder(origin, sink); },
        [](const chat::Request& request, const model::Origin& origin) {
            return model::ollama_body(request, origin, {}, 0);
        }};
    fuzz::check_stream(dialect, fuzz::text_of(bytes, size));
    return 0;
}
