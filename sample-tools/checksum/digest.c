// Checksums of bytes in memory, written for being read: bit by bit for CRC-32, and FIPS 180-4 as it stands.

#include "digest.h"

#include <string.h>

uint32_t crc32(const uint8_t *bytes, size_t count) {
  uint32_t crc = 0xFFFFFFFF;
  for (size_t at = 0; at < count; at++) {
    crc ^= bytes[at];
    // The polynomial of ISO 3309, lowest bit first.
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

static uint32_t left32(uint32_t x, int by) { return x << by | x >> (32 - by); }
static uint32_t right32(uint32_t x, int by) { return x >> by | x << (32 - by); }
static uint64_t right64(uint64_t x, int by) { return x >> by | x << (64 - by); }

static uint64_t big_endian(const uint8_t *from, int bytes) {
  uint64_t word = 0;
  for (int at = 0; at < bytes; at++) word = word << 8 | from[at];
  return word;
}

static void put_big_endian(uint8_t *to, uint64_t word, int bytes) {
  for (int at = bytes; at-- > 0; word >>= 8) to[at] = (uint8_t)word;
}

// Gives each block of the padded message to `take`: the bytes, a 1 bit, zeros, and the length in bits at the end (5.1).
static void blocks(const uint8_t *bytes, size_t count, size_t size, void (*take)(void *state, const uint8_t *block), void *state) {
  size_t whole = count / size * size, rest = count - whole;
  for (size_t at = 0; at < whole; at += size) take(state, bytes + at);
  uint8_t last[256] = {0};
  if (rest) memcpy(last, bytes + whole, rest);
  last[rest] = 0x80;
  // The length has an eighth of a block, of which no message here fills more than the lower eight bytes.
  size_t padded = rest + 1 + size / 8 <= size ? size : 2 * size;
  put_big_endian(last + padded - 8, (uint64_t)count * 8, 8);
  for (size_t at = 0; at < padded; at += size) take(state, last + at);
}

static void sha1_block(void *state, const uint8_t *block) {
  uint32_t *h = state, w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
  for (int t = 0; t < 16; t++) w[t] = (uint32_t)big_endian(block + 4 * t, 4);
  for (int t = 16; t < 80; t++) w[t] = left32(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  for (int t = 0; t < 80; t++) {
    static const uint32_t k[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t f = t < 20 ? (b & c) ^ (~b & d) : t >= 40 && t < 60 ? (b & c) ^ (b & d) ^ (c & d) : b ^ c ^ d;
    uint32_t next = left32(a, 5) + f + e + k[t / 20] + w[t];
    e = d, d = c, c = left32(b, 30), b = a, a = next;
  }
  h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}

void sha1(const uint8_t *bytes, size_t count, uint8_t digest[20]) {
  uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  blocks(bytes, count, 64, sha1_block, h);
  for (int at = 0; at < 5; at++) put_big_endian(digest + 4 * at, h[at], 4);
}

// The fractions of the cube roots of the first 80 primes (4.2.3). SHA-256 takes the upper halves of the first 64 (4.2.2).
static const uint64_t roots[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

static void sha256_block(void *state, const uint8_t *block) {
  uint32_t *h = state, w[64], v[8];
  memcpy(v, h, sizeof v);
  for (int t = 0; t < 16; t++) w[t] = (uint32_t)big_endian(block + 4 * t, 4);
  for (int t = 16; t < 64; t++) {
    uint32_t far = w[t - 15], near = w[t - 2];
    w[t] = (right32(near, 17) ^ right32(near, 19) ^ near >> 10) + w[t - 7] +
           (right32(far, 7) ^ right32(far, 18) ^ far >> 3) + w[t - 16];
  }
  for (int t = 0; t < 64; t++) {
    uint32_t a = v[0], e = v[4];
    uint32_t one = v[7] + (right32(e, 6) ^ right32(e, 11) ^ right32(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
                   (uint32_t)(roots[t] >> 32) + w[t];
    uint32_t two = (right32(a, 2) ^ right32(a, 13) ^ right32(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += one;
    v[0] = one + two;
  }
  for (int at = 0; at < 8; at++) h[at] += v[at];
}

void sha256(const uint8_t *bytes, size_t count, uint8_t digest[32]) {
  uint32_t h[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  blocks(bytes, count, 64, sha256_block, h);
  for (int at = 0; at < 8; at++) put_big_endian(digest + 4 * at, h[at], 4);
}

static void sha512_block(void *state, const uint8_t *block) {
  uint64_t *h = state, w[80], v[8];
  memcpy(v, h, sizeof v);
  for (int t = 0; t < 16; t++) w[t] = big_endian(block + 8 * t, 8);
  for (int t = 16; t < 80; t++) {
    uint64_t far = w[t - 15], near = w[t - 2];
    w[t] = (right64(near, 19) ^ right64(near, 61) ^ near >> 6) + w[t - 7] +
           (right64(far, 1) ^ right64(far, 8) ^ far >> 7) + w[t - 16];
  }
  for (int t = 0; t < 80; t++) {
    uint64_t a = v[0], e = v[4];
    uint64_t one = v[7] + (right64(e, 14) ^ right64(e, 18) ^ right64(e, 41)) + ((e & v[5]) ^ (~e & v[6])) + roots[t] + w[t];
    uint64_t two = (right64(a, 28) ^ right64(a, 34) ^ right64(a, 39)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += one;
    v[0] = one + two;
  }
  for (int at = 0; at < 8; at++) h[at] += v[at];
}

void sha512(const uint8_t *bytes, size_t count, uint8_t digest[64]) {
  uint64_t h[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
  blocks(bytes, count, 128, sha512_block, h);
  for (int at = 0; at < 8; at++) put_big_endian(digest + 8 * at, h[at], 8);
}
