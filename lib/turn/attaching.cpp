#include "turn/attaching.hpp"

#include <algorithm>
#include <utility>

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
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

std::string base64_of(place::Place& place, const chat::Attachment& wanted) {
    for (const place::GivenFile& file : place.options.files)
        if (file.attachment.sha256 == wanted.sha256) return base::base64_encode(*file.bytes);
    const auto bytes = store::find_attachment(place.store, place.agent.id, wanted.sha256);
    return bytes ? base::base64_encode(*bytes) : "";
}

}  // namespace

std::vector<chat::Attachment> attachments_given(const place::TurnOptions& options) {
    std::vector<chat::Attachment> given;
    for (const place::GivenFile& file : options.files)
        if (model::is_sent_as_bytes(file.attachment.mime_type)) given.push_back(file.attachment);
    return given;
}

void check_attachments(const place::TurnOptions& options, const place::Settings& settings) {
    const model::Provider& provider = settings.endpoint.provider;
    std::int64_t all = 0;
    for (const chat::Attachment& file : attachments_given(options)) {
        const std::string why = attachment_problem(provider, settings.endpoint.facts, file);
        if (!why.empty())
            throw base::Error(base::ErrorCode::bad_request,
                              "-a " + file.name + ": " + file.mime_type + ": " + why);
        all += model::base64_bytes(file.size);
    }
    if (const std::int64_t most = most_base64(provider); all > most)
        throw base::Error(base::ErrorCode::bad_request,
                          "-a: the files are " + std::to_string(all) + " bytes of base64, and a " +
                              "request to " + provider.name + " has room for " +
                              std::to_string(most));
}

void keep_attachments(place::Place& place) {
    for (const place::GivenFile& file : place.options.files)
        if (model::is_sent_as_bytes(file.attachment.mime_type))
            store::keep_attachment(place.store, place.agent.id, file.attachment.sha256,
                                   *file.bytes);
}

void write_attachments(place::Place& place, const place::Settings& settings,
                       chat::Request& request) {
    const model::Provider& provider = settings.endpoint.provider;
    std::map<std::string, std::string> before = std::exchange(request.attachments, {});
    std::int64_t room = most_base64(provider);
    for (auto message = request.messages.rbegin(); message != request.messages.rend(); ++message)
        for (const chat::Attachment& file : message->attachments) {
            if (request.attachments.contains(file.sha256) ||
                model::base64_bytes(file.size) > room ||
                !attachment_problem(provider, settings.endpoint.facts, file).empty())
                continue;
            const auto found = before.find(file.sha256);
            std::string base64 =
                found != before.end() ? std::move(found->second) : base64_of(place, file);
            if (base64.empty()) continue;
            room -= static_cast<std::int64_t>(base64.size());
            request.attachments.emplace(file.sha256, std::move(base64));
        }
}

}  // namespace chorus::turn
