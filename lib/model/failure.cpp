#include "model/failure.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/enum_names.hpp"
#include "base/text.hpp"

namespace chorus::embedded {
extern const std::string_view model_reports;
}

namespace chorus::model {
namespace {

constexpr base::EnumNames<Category, 6> categories{
    {"unauthorized", "out_of_credits", "rate_limited", "no_internet", "server_error", "other"}};

constexpr std::size_t longest_message_bytes = 500;
// A longer wait means that one side's clock is wrong.
constexpr std::int64_t longest_retry_after_ms = std::int64_t{31} * 24 * 3600 * 1000;

// A line of data/reports.txt, in the format described there.
struct Clue {
    std::string_view meaning;
    bool is_word;
    std::string_view text;

    bool fits(std::string_view said) const {
        return is_word ? said == text : said.find(text) != said.npos;
    }
};

const std::vector<Clue>& clues() {
    static const auto all = [] {
        std::vector<Clue> lines;
        for (const std::string_view line : base::split_lines(embedded::model_reports)) {
            if (line.empty() || line.starts_with('#')) continue;
            const std::size_t how = line.find(' ') + 1;
            const std::size_t text = line.find(' ', how) + 1;
            lines.push_back(
                {line.substr(0, how - 1), line.substr(how, 3) == "is ", line.substr(text)});
        }
        return lines;
    }();
    return all;
}

// The texts of a complaint in lower case.
struct Said {
    std::string code;
    std::string type;
    std::string message;

    bool means(std::string_view meaning) const {
        const auto& all = clues();
        return std::any_of(all.begin(), all.end(), [&](const Clue& clue) {
            if (clue.meaning != meaning) return false;
            return clue.is_word ? clue.fits(code) || clue.fits(type) : clue.fits(message);
        });
    }
};

std::optional<Category> category_by(bool is_word, std::string_view said) {
    for (const Clue& clue : clues())
        if (clue.is_word == is_word && clue.fits(said))
            if (const auto category = categories.find(clue.meaning)) return category;
    return std::nullopt;
}

std::optional<Category> of_status(int status) {
    if (status == 401 || status == 403) return Category::unauthorized;
    if (status == 402) return Category::out_of_credits;
    if (status == 429) return Category::rate_limited;
    if (status == 407) return Category::no_internet;
    if (status == 408 || status == 425 || status >= 500) return Category::server_error;
    return std::nullopt;
}

Category category_of(const Said& said, int status) {
    if (const auto category = category_by(true, said.code)) return *category;
    if (const auto category = category_by(true, said.type)) return *category;
    if (const auto category = of_status(status)) return *category;
    return category_by(false, said.message).value_or(Category::other);
}

bool is_worth_another_try(Category category, int status) {
    if (category == Category::rate_limited) return true;
    // 407 comes from a proxy
    if (category == Category::no_internet) return status != 407;
    // 501 and 505 to 511 are permanent
    if (category == Category::server_error) return status != 501 && (status < 505 || status > 511);
    return category == Category::other && status == 409;
}

// "<provider>: <status> <type>: <message>"; parts that are missing are left out.
std::string in_words(std::string_view provider, const Complaint& complaint) {
    const std::string& kind = complaint.type.empty() ? complaint.code : complaint.type;
    std::string said = complaint.status > 0 ? std::to_string(complaint.status) : std::string();
    if (!kind.empty()) said += (said.empty() ? "" : " ") + kind;
    std::string out = std::string(provider) + ": " + (said.empty() ? "error" : said);
    if (!complaint.message.empty()) out += ": " + complaint.message;
    out = base::visible(out, base::Newlines::escape);
    if (out.size() <= longest_message_bytes) return out;
    return std::string(base::utf8_prefix(out, longest_message_bytes)) + " […]";
}

}  // namespace

std::string_view name(Category category) {
    return categories.name(category);
}

base::ErrorCode error_code(Category category) {
    using base::ErrorCode;
    static constexpr std::array codes{ErrorCode::unauthorized, ErrorCode::out_of_credits,
                                      ErrorCode::rate_limited, ErrorCode::no_internet,
                                      ErrorCode::server_error, ErrorCode::provider_error};
    return codes.at(static_cast<std::size_t>(category));
}

Failure classify(std::string_view provider, const Complaint& complaint) {
    const Said said{base::to_lower_ascii(complaint.code), base::to_lower_ascii(complaint.type),
                    base::to_lower_ascii(complaint.message)};
    Failure failure{.category = category_of(said, complaint.status),
                    .message = in_words(provider, complaint),
                    .request_id = base::visible(complaint.request_id.substr(0, longest_id_bytes),
                                                base::Newlines::escape),
                    .status = complaint.status,
                    .retry_after_ms = complaint.retry_after_ms};
    if (failure.retry_after_ms)
        failure.retry_after_ms = std::min(*failure.retry_after_ms, longest_retry_after_ms);
    failure.retryable = is_worth_another_try(failure.category, complaint.status);
    const bool may_overflow =
        failure.category == Category::other || failure.category == Category::server_error;
    if (may_overflow && (complaint.status == 413 || said.means("context_overflow"))) {
        failure.category = Category::other;
        failure.context_overflow = true;
        failure.retryable = false;
    }
    failure.declined = failure.category == Category::other && said.means("declined");
    if (complaint.should_retry) failure.retryable = *complaint.should_retry;
    return failure;
}

}  // namespace chorus::model
