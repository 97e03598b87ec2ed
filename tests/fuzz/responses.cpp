#include "fuzz/dialect.hpp"
#include "model/openai_responses.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace chorus;
    static const model::Origin origin{"openai", "m"};
    static const fuzz::Dialect dialect{
        origin,
        [](const model::StreamSink& sink) { return model::responses_decoder(origin, sink); },
        [](const chat::Request& request, const model::Origin& origin) {
            return model::responses_body(request, origin, model::Reasoning::summarized);
        }};
    fuzz::check_stream(dialect, fuzz::text_of(bytes, size));
    return 0;
}
