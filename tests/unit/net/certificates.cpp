#include "net/certificates.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace chorus::net {
namespace {

class TrustTest : public testing::Test {
  protected:
    TrustTest() {
        char name[] = "/tmp/chorus-trust-XXXXXX";
        root = mkdtemp(name);
        std::filesystem::create_directory(root + "/certs");
        transport.system_directory = root + "/certs";
        transport.system_bundles = {root + "/other.crt", root + "/bundle.crt"};
    }
    ~TrustTest() override { std::filesystem::remove_all(root); }

    void write_bundle(int certificates, const std::string& name = "bundle.crt") const {
        std::ofstream file(root + "/" + name);
        for (int i = 0; i < certificates; ++i)
            file << "# one\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    }
    void write_hashed(int certificates) const {
        for (int i = 0; i < certificates; ++i) {
            char name[32];
            std::snprintf(name, sizeof name, "/certs/%08x.%d", i / 2, i % 2);
            std::ofstream(root + name) << "x";
        }
        for (const char* other : {"ca.pem", "README", "0000000g.0", "00000001.r0", "0000001.0"})
            std::ofstream(root + "/certs/" + other) << "x";
    }
    // "file F" or "directory D", without the root.
    std::string chosen() const {
        const Trust trust = trust_of(transport);
        EXPECT_NE(trust.file.empty(), trust.directory.empty());
        const std::string& path = trust.file.empty() ? trust.directory : trust.file;
        const bool is_below = path.starts_with(root);
        return (trust.file.empty() ? "directory " : "file ") +
               (is_below ? path.substr(root.size() + 1) : path);
    }

    std::string root;
    Transport transport;
};

TEST_F(TrustTest, TheHashedDirectoryWhereItHasTheWholeBundle) {
    write_bundle(4);
    write_hashed(4);
    EXPECT_EQ(chosen(), "directory certs");
    transport.ca_file = root + "/bundle.crt";
    EXPECT_EQ(chosen(), "directory certs") << "it is the same, and read faster";
}

TEST_F(TrustTest, TheBundleWhereTheDirectoryLacksSomethingOrIsMissing) {
    write_bundle(5);
    EXPECT_EQ(chosen(), "file bundle.crt") << "no hashed names, as in minimal images";
    write_hashed(4);
    EXPECT_EQ(chosen(), "file bundle.crt") << "somebody appended a certificate";
    transport.ca_file = root + "/bundle.crt";
    EXPECT_EQ(chosen(), "file bundle.crt");
    std::filesystem::remove_all(root + "/certs");
    EXPECT_EQ(chosen(), "file bundle.crt");
    transport.ca_file.clear();
    EXPECT_EQ(chosen(), "file bundle.crt");
}

TEST_F(TrustTest, TheFirstBundleThereIs) {
    write_bundle(1);
    write_bundle(1, "other.crt");
    EXPECT_EQ(chosen(), "file other.crt");
}

TEST_F(TrustTest, WhatIsNamedCounts) {
    write_bundle(4);
    write_hashed(4);
    transport.ca_directory = "/d";
    EXPECT_EQ(chosen(), "directory /d");
    transport.ca_file = "/c";
    EXPECT_EQ(chosen(), "file /c");
    transport.ca_file = root + "/other.crt";
    EXPECT_EQ(chosen(), "file other.crt") << "it is missing, which is to be told";
}

TEST_F(TrustTest, NothingAtAllIsTheDirectory) {
    EXPECT_EQ(chosen(), "directory certs");
}

}  // namespace
}  // namespace chorus::net
