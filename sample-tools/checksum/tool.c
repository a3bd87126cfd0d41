// checksum: CRC-32 and SHA digests of a text or of bytes, and which of them is the one that was expected.

#include <string.h>

#include "digest.h"
#include "fumehood_tool.h"

// As much as fits into one text of arguments, well below what a call has of memory.
#define LARGEST ((size_t)6 << 20)

static const char DIGITS[] = "0123456789abcdef";

static fh_text hex(const uint8_t *bytes, size_t count) {
  char *text = fh_alloc(2 * count);
  for (size_t at = 0; at < count; at++) {
    text[2 * at] = DIGITS[bytes[at] >> 4];
    text[2 * at + 1] = DIGITS[bytes[at] & 15];
  }
  return (fh_text){text, 2 * count};
}

// RFC 4648, section 4, with its padding. False: it is none.
static bool decode(fh_text base64, fh_text *bytes) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (base64.len % 4) return false;
  char *out = fh_alloc(base64.len / 4 * 3);
  size_t length = 0;
  for (size_t at = 0; at < base64.len; at += 4) {
    uint32_t group = 0;
    int held = 0;
    for (int digit = 0; digit < 4; digit++) {
      char c = base64.ptr[at + digit];
      const char *known = c ? strchr(alphabet, c) : NULL;
      // Padding stands at the very end, and after two digits at least.
      bool padding = c == '=' && at + 4 == base64.len && digit >= 2;
      if (known && held == digit) held++;
      else if (!padding) return false;
      group = group << 6 | (known ? (uint32_t)(known - alphabet) : 0);
    }
    for (int byte = 0; byte < held - 1; byte++) out[length++] = (char)(group >> (16 - 8 * byte));
    // Bits that no byte holds are zero, or two texts would stand for the same bytes.
    if (held < 4 && (group >> (24 - 8 * (held - 1)) << (24 - 8 * (held - 1))) != group) return false;
  }
  *bytes = (fh_text){out, length};
  return true;
}

// Hexadecimal digits without case, spaces and what some tools write before or between them.
static fh_text plain(fh_text expected) {
  char *text = fh_alloc(expected.len);
  size_t length = 0;
  for (size_t at = 0; at < expected.len; at++) {
    char c = expected.ptr[at];
    if (c >= 'A' && c <= 'F') c = (char)(c - 'A' + 'a');
    if (c && strchr(DIGITS, c)) text[length++] = c;
    else if (c != ' ' && c != ':' && c != '\n') return FH_NONE;
  }
  return (fh_text){text, length};
}

static bool execute(fh_call *call, const fh_json *args, fh_writer *value) {
  const fh_json *text = fh_get(args, "text"), *base64 = fh_get(args, "base64"), *expected = fh_get(args, "expected");
  if ((text == NULL) == (base64 == NULL)) return fh_invalid_args(call, "give either `text` or `base64`");
  fh_text bytes = fh_as_text(text), wanted = FH_NONE;
  if (base64 && !decode(fh_as_text(base64), &bytes)) return fh_invalid_args(call, "`base64` is no base64 with padding");
  if (bytes.len > LARGEST) return fh_failed(call, "TOO_LARGE", "%zu bytes; at most %zu are taken", bytes.len, LARGEST);
  if (expected) {
    wanted = plain(fh_as_text(expected));
    if (wanted.len != 8 && wanted.len != 40 && wanted.len != 64 && wanted.len != 128) {
      return fh_invalid_args(call, "`expected` has 8, 40, 64 or 128 hexadecimal digits");
    }
  }

  const uint8_t *at = (const uint8_t *)bytes.ptr;
  uint32_t crc = crc32(at, bytes.len);
  uint8_t digests[3][64];
  sha1(at, bytes.len, digests[0]);
  sha256(at, bytes.len, digests[1]);
  sha512(at, bytes.len, digests[2]);
  const struct { const char *name; fh_text digest; } sums[] = {
      {"crc32", fh_format("%08lx", (unsigned long)crc)},
      {"sha1", hex(digests[0], 20)},
      {"sha256", hex(digests[1], 32)},
      {"sha512", hex(digests[2], 64)},
  };

  const char *found = NULL;
  fh_begin_object(value, NULL);
  fh_put_unsigned(value, "bytes", bytes.len);
  for (size_t sum = 0; sum < sizeof sums / sizeof *sums; sum++) {
    fh_put_text(value, sums[sum].name, sums[sum].digest);
    if (expected && fh_equal(wanted, sums[sum].digest)) found = sums[sum].name;
  }
  if (expected) fh_put_bool(value, "matches", found != NULL);
  fh_end_object(value);
  return true;
}

static fh_text listed(const fh_json *value) {
  static const char *const names[] = {"crc32", "sha1", "sha256", "sha512"};
  fh_writer text = {0};
  fh_appendf(&text, "bytes   %llu", (unsigned long long)fh_as_unsigned(fh_get(value, "bytes"), 0));
  for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
    fh_appendf(&text, "\n%-7s ", names[at]);
    fh_append(&text, fh_as_text(fh_get(value, names[at])));
  }
  return fh_written(&text);
}

static void render(const fh_json *args, const fh_json *value, fh_content *content) {
  (void)args;
  const fh_json *matches = fh_get(value, "matches");
  fh_text sums = listed(value);
  if (matches == NULL) {
    fh_add_text(content, sums);
  } else if (fh_as_bool(matches, false)) {
    fh_add_text(content, fh_format("The checksum is the expected one.\n%.*s", FH_ARG(sums)));
  } else {
    fh_add_text(content, fh_format("The checksum is NOT the expected one.\n%.*s", FH_ARG(sums)));
  }
}

static bool present(const fh_json *args, const fh_json *value, fh_card *card) {
  (void)args;
  if (value == NULL) return false;
  const fh_json *matches = fh_get(value, "matches");
  unsigned long long bytes = fh_as_unsigned(fh_get(value, "bytes"), 0);
  const char *told = matches == NULL ? "" : fh_as_bool(matches, false) ? ", as expected" : ", not as expected";
  fh_generic_card(card, fh_format("Checksums of %llu %s%s", bytes, bytes == 1 ? "byte" : "bytes", told), FH_READ);
  fh_add_text(fh_body(card), listed(value));
  return true;
}

const fh_tool checksum = {"checksum", execute, render, present};

FH_COMPONENT(&checksum)
