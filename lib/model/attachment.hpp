// Attachments: what a file is, whether a model takes it, and how the request writers send it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chat/message.hpp"
#include "model/catalog.hpp"

namespace chorus::model {

// Returns the MIME type of a file's bytes: that of an image or a document that providers take,
// "text/plain" for UTF-8 without NUL, or "".
std::string_view mime_type_of(std::string_view bytes);
// Whether it is one that Chorus sends as it is, not as text.
bool is_sent_as_bytes(std::string_view mime_type);

constexpr std::size_t attachment_name_bytes = 256;  // the longest name of one
// Whether the attachment, which comes from elsewhere, is one that Chorus makes: its hash is one,
// its name can be shown and sent, its type is known.
bool is_attachment(const chat::Attachment& file);

// Returns why a request to the model, which `model` names, cannot have the attachment, as
// "p/m takes text, image only", or "".
std::string attachment_problem(const std::string& model, const Provider& provider,
                               const ModelFacts& facts, const chat::Attachment& attachment);
// The size of a file's base64.
std::int64_t base64_bytes(std::int64_t size);

// A file with its bytes, as a request sends it.
struct SentFile {
    const chat::Attachment& file;
    const std::string& base64;
};
std::vector<SentFile> sent_files(const chat::Request& request, const chat::Message& message);
// "data:image/png;base64,…"
std::string data_url(const SentFile& sent);
bool is_image(const SentFile& sent);

// The status block and, for each attachment, a line that names it and says whether it is sent.
std::string status_text(const chat::Request& request, const chat::Message& message);
// The same with the content, as one text.
std::string whole_text(const chat::Request& request, const chat::Message& message);

}  // namespace chorus::model
