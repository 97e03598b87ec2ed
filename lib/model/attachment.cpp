#include "model/attachment.hpp"

#include <algorithm>
#include <array>

#include "base/hash.hpp"
#include "base/text.hpp"

namespace chorus::model {
namespace {

// How the files of a type begin: `start`, and `more` at `at`.
struct FileType {
    std::string_view mime_type;
    std::string_view start;
    std::size_t at = 0;
    std::string_view more = {};
};
constexpr std::array file_types{
    FileType{"image/png", "\x89PNG\r\n\x1a\n"},
    FileType{"image/jpeg", "\xff\xd8\xff"},
    FileType{"image/gif", "GIF8"},
    FileType{"image/webp", "RIFF", 8, "WEBP"},
    FileType{"application/pdf", "%PDF-"},
};

std::string_view kind_of(std::string_view mime_type) {
    return mime_type == "application/pdf" ? "pdf" : mime_type.substr(0, mime_type.find('/'));
}

std::string in_bytes(std::int64_t bytes) {
    return std::to_string(bytes) + " bytes";
}

}  // namespace

std::string_view mime_type_of(std::string_view bytes) {
    for (const FileType& type : file_types)
        if (bytes.starts_with(type.start) && bytes.size() >= type.at &&
            bytes.substr(type.at).starts_with(type.more))
            return type.mime_type;
    return base::find_invalid_utf8(bytes) || bytes.find('\0') != bytes.npos ? "" : "text/plain";
}

bool is_sent_as_bytes(std::string_view mime_type) {
    return std::any_of(file_types.begin(), file_types.end(),
                       [&](const FileType& type) { return type.mime_type == mime_type; });
}

bool is_attachment(const chat::Attachment& file) {
    return file.sha256.size() == base::sha256_digits &&
           file.sha256.find_first_not_of("0123456789abcdef") == std::string::npos &&
           !file.name.empty() && file.name.size() <= attachment_name_bytes &&
           base::visible(file.name, base::Newlines::escape) == file.name && file.size > 0 &&
           is_sent_as_bytes(file.mime_type);
}

std::string attachment_problem(const std::string& model, const Provider& provider,
                               const ModelFacts& facts, const chat::Attachment& attachment) {
    const std::string_view kind = kind_of(attachment.mime_type);
    const std::vector<std::string>& kinds = facts.input;
    if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
        return model + " takes " + base::join(kinds, ", ") + " only";
    const AttachmentLimits& limits = provider.attachments;
    if (limits.types) {
        const std::vector<std::string>& types = *limits.types;
        if (types.empty()) return provider.name + " takes no attachments";
        if (std::find(types.begin(), types.end(), attachment.mime_type) == types.end())
            return provider.name + " takes " + base::join(types, ", ") + " only";
    }
    const std::int64_t most = kind == "pdf" ? limits.pdf_bytes : limits.image_bytes;
    if (most != 0 && attachment.size > most)
        return in_bytes(attachment.size) + ", and " + provider.name + " takes at most " +
               in_bytes(most);
    return {};
}

std::int64_t base64_bytes(std::int64_t size) {
    return (size + 2) / 3 * 4;
}

std::vector<SentFile> sent_files(const chat::Request& request, const chat::Message& message) {
    std::vector<SentFile> sent;
    if (!message.sends_attachments) return sent;
    for (const chat::Attachment& each : message.attachments)
        if (const auto found = request.attachments.find(each.sha256);
            found != request.attachments.end())
            sent.push_back({each, found->second});
    return sent;
}

std::string data_url(const SentFile& sent) {
    return "data:" + sent.file.mime_type + ";base64," + sent.base64;
}

bool is_image(const SentFile& sent) {
    return kind_of(sent.file.mime_type) == "image";
}

std::string status_text(const chat::Request& request, const chat::Message& message) {
    std::string text = message.status;
    for (const chat::Attachment& each : message.attachments) {
        const bool is_sent = message.sends_attachments && request.attachments.contains(each.sha256);
        if (!text.empty()) text += '\n';
        text += "[attached: " + chat::label_of(each) + (is_sent ? "]" : "; it is not sent here]");
    }
    return text;
}

std::string whole_text(const chat::Request& request, const chat::Message& message) {
    std::string text = status_text(request, message);
    if (!text.empty() && !message.content.empty()) text += "\n\n";
    return text + message.content;
}

}  // namespace chorus::model
