// Checksums of bytes in memory.

#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>
#include <stdint.h>

// CRC-32 as zip, gzip and PNG have it (ISO 3309).
uint32_t crc32(const uint8_t *bytes, size_t count);

// FIPS 180-4. SHA-1 is broken as a signature: it tells accidents apart, not attacks.
void sha1(const uint8_t *bytes, size_t count, uint8_t digest[20]);
void sha256(const uint8_t *bytes, size_t count, uint8_t digest[32]);
void sha512(const uint8_t *bytes, size_t count, uint8_t digest[64]);

#endif
