#include "turn/attaching.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "model/attachment.hpp"
#include "store/attachments.hpp"

namespace chorus::turn {
namespace {

// The base64 that a request may have beside its text, for which an eighth is left.
std::int64_t most_base64(const model::Provider& provider) {
    const std::int64_t known = provider.attachments.request_bytes;
    const std::int64_t all = known == 0 ? base::limits::request_bytes : known;
    return all - all / 8;
}

std::optional<std::string> bytes_of(place::Place& place, const chat::Attachment& wanted) {
    for (const place::GivenFile& file : place.options.files)
        if (file.attachment.sha256 == wanted.sha256) return *file.bytes;
    return store::find_attachment(place.store, place.agent.id, wanted.sha256);
}

// The base64 of the bytes; "" if they are gone, or not of the type that an imported message says.
std::string base64_of(place::Place& place, const chat::Attachment& file) {
    const auto bytes = bytes_of(place, file);
    return bytes && model::mime_type_of(*bytes) == file.mime_type ? base::base64_encode(*bytes)
                                                                  : "";
}

bool is_taken(const place::Settings& settings, chat::Attachment file, const std::string& base64) {
    const auto padding = std::count(base64.rbegin(), base64.rend(), '=');
    file.size = static_cast<std::int64_t>(base64.size() / 4 * 3) - padding;
    return file.size > 0 && attachment_problem(settings.model, settings.endpoint.provider,
                                               settings.endpoint.facts, file)
                                .empty();
}

}  // namespace

std::vector<chat::Attachment> attachments_given(const place::Place& place) {
    std::vector<chat::Attachment> given;
    for (const place::GivenFile& file : place.options.files) {
        if (!model::is_sent_as_bytes(file.attachment.mime_type)) continue;
        given.push_back(file.attachment);
        // redaction may make a name longer
        given.back().name = base::utf8_prefix(place.redaction.apply(file.attachment.name),
                                              model::attachment_name_bytes);
    }
    return given;
}

void check_attachments(const place::TurnOptions& options, const place::Settings& settings) {
    const std::string way_out = "convert it or make it smaller, or use another model with -m";
    const model::Provider& provider = settings.endpoint.provider;
    std::int64_t all = 0;
    std::size_t text_bytes = options.prompt.size();
    for (const place::GivenFile& file : options.files) {
        if (!model::is_sent_as_bytes(file.attachment.mime_type)) {
            text_bytes += file.bytes->size();
            continue;
        }
        const std::string why =
            attachment_problem(settings.model, provider, settings.endpoint.facts, file.attachment);
        if (!why.empty())
            throw base::Error(base::ErrorCode::bad_request,
                              "-a " + file.attachment.name + ": " + why, way_out);
        all += model::base64_bytes(file.attachment.size);
    }
    if (const std::int64_t most = most_base64(provider); all > most)
        throw base::Error(base::ErrorCode::bad_request,
                          "-a: the files are " + std::to_string(all) + " bytes of base64, and a " +
                              "request to " + provider.name + " has room for " +
                              std::to_string(most),
                          "attach fewer files, or use another model with -m");
    if (text_bytes > base::limits::prompt_bytes)
        throw base::Error(
            base::ErrorCode::bad_request, "-a: prompt and attached texts are more than 10 MiB",
            "put them into files of the workspace, which the model can view in parts");
}

void keep_attachments(place::Place& place) {
    for (const place::GivenFile& file : place.options.files)
        if (model::is_sent_as_bytes(file.attachment.mime_type))
            store::keep_attachment(place.store, place.agent.id, file.attachment.sha256,
                                   *file.bytes);
}

void write_attachments(place::Place& place, const place::Settings& settings,
                       chat::Request& request) {
    std::map<std::string, std::string> sent;
    std::int64_t room = most_base64(settings.endpoint.provider);
    for (auto message = request.messages.rbegin(); message != request.messages.rend(); ++message) {
        message->sends_attachments = false;
        if (message->attachments.empty() || room <= 0) continue;
        std::int64_t wanted = 0;
        std::vector<std::string> added;
        for (const chat::Attachment& file : message->attachments) {
            auto [entry, is_new] = sent.try_emplace(file.sha256);
            if (is_new) {
                const auto before = request.attachments.find(file.sha256);
                entry->second = before != request.attachments.end() ? std::move(before->second)
                                                                    : base64_of(place, file);
                if (!is_taken(settings, file, entry->second)) entry->second.clear();
                added.push_back(file.sha256);
            }
            wanted += static_cast<std::int64_t>(entry->second.size());
        }
        const bool fits = wanted <= room;
        // an older one does not go instead of a newer one
        room = fits ? room - wanted : 0;
        message->sends_attachments = fits && wanted > 0;
        if (!fits)
            for (const std::string& sha256 : added) sent.erase(sha256);
    }
    std::erase_if(sent, [](const auto& entry) { return entry.second.empty(); });
    request.attachments = std::move(sent);
}

}  // namespace chorus::turn
