#pragma once

#include <string>

namespace loopback {

// A new P-256 key and a certificate signed by itself, for a day, for 127.0.0.1 and localhost. It is
// its own CA.
void make_certificate(const std::string& certificate_path, const std::string& key_path);

}  // namespace loopback
