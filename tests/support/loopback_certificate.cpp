#include "loopback_certificate.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace loopback {
namespace {

template <auto release>
struct Releaser {
    template <typename T>
    void operator()(T* handle) const {
        release(handle);
    }
};
using Key = std::unique_ptr<EVP_PKEY, Releaser<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Releaser<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Releaser<X509_EXTENSION_free>>;
using File = std::unique_ptr<std::FILE, Releaser<std::fclose>>;

void require(bool good, const char* what) {
    if (!good) throw std::runtime_error(std::string("cannot make a certificate: ") + what);
}

void add_extension(X509* certificate, int nid, const char* value) {
    const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, nid, value));
    require(extension && X509_add_ext(certificate, extension.get(), -1) == 1, "extension");
}

Certificate self_signed(EVP_PKEY* key, const CertificateTerms& terms) {
    Certificate certificate(X509_new());
    X509* const c = certificate.get();
    X509_set_version(c, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(c), 1);
    X509_gmtime_adj(X509_getm_notBefore(c), terms.begins_s);
    X509_gmtime_adj(X509_getm_notAfter(c), terms.ends_s);
    X509_set_pubkey(c, key);
    X509_NAME* const name = X509_get_subject_name(c);
    const auto* const text = reinterpret_cast<const unsigned char*>("loopback");
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
    X509_set_issuer_name(c, name);
    add_extension(c, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(c, NID_subject_alt_name, terms.names);
    require(X509_sign(c, key, EVP_sha256()) > 0, "signature");
    return certificate;
}

}  // namespace

void make_certificate(const std::string& certificate_path, const std::string& key_path,
                      const CertificateTerms& terms) {
    const Key key(EVP_EC_gen("P-256"));
    require(key != nullptr, "key");
    const Certificate certificate = self_signed(key.get(), terms);
    const File certificate_file(std::fopen(certificate_path.c_str(), "we"));
    const File key_file(std::fopen(key_path.c_str(), "we"));
    require(certificate_file && PEM_write_X509(certificate_file.get(), certificate.get()) == 1,
            "file");
    require(key_file && PEM_write_PrivateKey(key_file.get(), key.get(), nullptr, nullptr, 0,
                                             nullptr, nullptr) == 1,
            "key file");
}

}  // namespace loopback
