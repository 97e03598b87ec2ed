#include "model/attachment.hpp"

#include <gtest/gtest.h>

namespace chorus::model {
namespace {

using namespace std::string_view_literals;

TEST(MimeType, is_told_from_the_bytes) {
    EXPECT_EQ(mime_type_of("\x89PNG\r\n\x1a\n..."sv), "image/png");
    EXPECT_EQ(mime_type_of("\xff\xd8\xff\xe0"sv), "image/jpeg");
    EXPECT_EQ(mime_type_of("GIF89a"sv), "image/gif");
    EXPECT_EQ(mime_type_of("RIFF\x10\0\0\0WEBPVP8 "sv), "image/webp");
    EXPECT_EQ(mime_type_of("%PDF-1.7\n\xe2\xe3"sv), "application/pdf");
    EXPECT_EQ(mime_type_of("Gr\xc3\xbc\xc3\x9f"
                           "e"sv),
              "text/plain");
}

TEST(MimeType, is_none_for_other_bytes) {
    for (const std::string_view bytes :
         {"RIFF\x10\0\0\0AVI "sv, "\xff\xd8"sv, "\x89PNG\n"sv, "a\0b"sv,
          "\xff\xfe"
          "a\0"sv,
          "\x1f\x8b\x08"sv, "RIFF\xff"sv})
        EXPECT_EQ(mime_type_of(bytes), "") << bytes;
}

chat::Attachment file(std::string type, std::int64_t size) {
    return {std::string(64, 'a'), "f", std::move(type), size};
}

TEST(AttachmentProblem, follows_the_model_and_the_provider) {
    Provider provider;
    provider.name = "p";
    ModelFacts facts;
    EXPECT_EQ(attachment_problem("p/m", provider, facts, file("image/png", 5)), "");
    facts.input = {"text", "image"};
    EXPECT_EQ(attachment_problem("p/m", provider, facts, file("image/png", 5)), "");
    EXPECT_EQ(attachment_problem("p/m", provider, facts, file("application/pdf", 5)),
              "p/m takes text, image only");
    facts.input.push_back("pdf");
    provider.attachments = {{{"image/png", "application/pdf"}}, 4, 6, 0};
    EXPECT_EQ(attachment_problem("p/m", provider, facts, file("image/gif", 4)),
              "p takes image/png, application/pdf only");
    EXPECT_EQ(attachment_problem("p/m", provider, facts, file("image/png", 4)), "");
    EXPECT_EQ(attachment_problem("p/m", provider, facts, file("image/png", 5)),
              "5 bytes, and p takes at most 4 bytes");
    EXPECT_EQ(attachment_problem("p/m", provider, facts, file("application/pdf", 6)), "");
    EXPECT_NE(attachment_problem("p/m", provider, facts, file("application/pdf", 7)), "");
}

TEST(Attachment, from_elsewhere_is_one_that_chorus_makes) {
    EXPECT_TRUE(is_attachment(file("image/png", 1)));
    EXPECT_FALSE(is_attachment(file("image/png", 0)));
    EXPECT_FALSE(is_attachment(file("text/html", 1)));
    chat::Attachment other = file("image/png", 1);
    other.name = "a\nb";
    EXPECT_FALSE(is_attachment(other));
    other.name = "";
    EXPECT_FALSE(is_attachment(other));
    other.name = std::string(257, 'a');
    EXPECT_FALSE(is_attachment(other));
    other = file("image/png", 1);
    other.sha256.back() = 'A';
    EXPECT_FALSE(is_attachment(other));
}

}  // namespace
}  // namespace chorus::model
