// CHORUS_ADDRESS_SANITIZER is defined in a build with AddressSanitizer.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define CHORUS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHORUS_ADDRESS_SANITIZER 1
#endif
#endif
