// Chat Completions, with each of the ways in which servers want their reasoning back.
#include "fuzz/dialect.hpp"
#include "model/openai_chat.hpp"

namespace chorus::model {
namespace {

const Origin origin{"openai-chat", "m"};

template <ReasoningBack reasoning, bool short_ids>
fuzz::Dialect dialect() {
    static const Quirks quirks{.reasoning = reasoning, .short_call_ids = short_ids};
    return {origin, [](const StreamSink& sink) { return chat_decoder(origin, sink, quirks); },
            [](const chat::Request& request, const Origin& to) {
                return chat_body(request, to, quirks);
            }};
}

}  // namespace
}  // namespace chorus::model

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace chorus;
    using enum model::ReasoningBack;
    static const fuzz::Dialect dialects[] = {model::dialect<none, true>(),
                                             model::dialect<content, false>(),
                                             model::dialect<details, false>()};
    for (const fuzz::Dialect& one : dialects) fuzz::check_stream(one, fuzz::text_of(bytes, size));
    return 0;
}
