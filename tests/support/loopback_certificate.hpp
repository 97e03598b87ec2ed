#pragma once

#include <string>

namespace loopback {

// From now; and an hour's slack, because clocks differ.
struct CertificateTerms {
    long begins_s = -60L * 60;
    long ends_s = 24L * 60 * 60;
    const char* names = "IP:127.0.0.1,DNS:localhost";
};

// A new P-256 key and a certificate signed by itself. It is its own CA.
void make_certificate(const std::string& certificate_path, const std::string& key_path,
                      const CertificateTerms& terms = {});

}  // namespace loopback
