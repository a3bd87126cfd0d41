// Tests of tool.c and digest.c, on this machine: make test

#include <stdio.h>
#include <string.h>

#include "digest.h"
#include "fumehood_tool.h"

extern const fh_tool checksum;

static int failed;

#define CHECK(what)                                                         \
  do {                                                                      \
    if (!(what)) {                                                          \
      printf("%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #what); \
      failed++;                                                             \
    }                                                                       \
  } while (0)

static bool holds(fh_text text, const char *part) {
  bool found = fh_find(text, fh_of(part)) != SIZE_MAX;
  if (!found) printf("%.*s\nlacks %s\n", FH_ARG(text), part);
  return found;
}

static bool is(const uint8_t *digest, size_t count, const char *expect) {
  char text[129] = {0};
  for (size_t at = 0; at < count; at++) sprintf(text + 2 * at, "%02x", digest[at]);
  if (strcmp(text, expect) != 0) printf("got    %s\nexpect %s\n", text, expect);
  return strcmp(text, expect) == 0;
}

// The examples of FIPS 180-4, and the check value that lists of CRCs give for "123456789".
static void the_published_examples(void) {
  const uint8_t *abc = (const uint8_t *)"abc";
  uint8_t digest[64];
  CHECK(crc32((const uint8_t *)"123456789", 9) == 0xCBF43926);
  sha1(abc, 3, digest);
  CHECK(is(digest, 20, "a9993e364706816aba3e25717850c26c9cd0d89d"));
  sha256(abc, 3, digest);
  CHECK(is(digest, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  sha512(abc, 3, digest);
  CHECK(is(digest, 64, "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                       "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"));
}

// Where the length no longer fits into the block with the end of the message: both sides of it.
static void messages_about_as_long_as_a_block(void) {
  static const struct { size_t count; const char *sha256; } known[] = {
      {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
      {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
      {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
      {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
      {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
      {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
      {200, "c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5"},
  };
  uint8_t bytes[200], digest[64];
  memset(bytes, 'a', sizeof bytes);
  for (size_t at = 0; at < sizeof known / sizeof *known; at++) {
    sha256(bytes, known[at].count, digest);
    CHECK(is(digest, 32, known[at].sha256));
  }
  sha512(bytes, 112, digest);
  CHECK(is(digest, 64, "c01d080efd492776a1c43bd23dd99d0a2e626d481e16782e75d54c2503b5dc32"
                       "bd05f0f1ba33e568b88fd2d970929b719ecbb152f58f130a407c8830604b70ca"));
  sha1(bytes, 119, digest);
  CHECK(is(digest, 20, "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"));
}

static void bytes_come_as_text_or_as_base64(void) {
  fh_outcome text = fh_test_call(&checksum, "{\"text\":\"abc\"}"), base64 = fh_test_call(&checksum, "{\"base64\":\"YWJj\"}");
  CHECK(text.ok && base64.ok && fh_equal(text.value, base64.value));
  CHECK(holds(text.value, "\"bytes\":3,\"crc32\":\"352441c2\""));
  CHECK(holds(fh_test_text(&text.content), "crc32   352441c2\n"));
  static const char *const refused[] = {"YQ", "YQ=", "YR==", "Y===", "YQ==YQ==", "Y Q=", "=YQ=", "YQ=a"};
  for (size_t at = 0; at < sizeof refused / sizeof *refused; at++) {
    CHECK(!fh_test_call(&checksum, fh_format("{\"base64\":\"%s\"}", refused[at]).ptr).ok);
  }
  CHECK(!fh_test_call(&checksum, "{}").ok);
  CHECK(!fh_test_call(&checksum, "{\"text\":\"\",\"base64\":\"\"}").ok);
}

static void an_expected_sum_is_found_however_it_is_written(void) {
  CHECK(holds(fh_test_call(&checksum, "{\"text\":\"abc\",\"expected\":\"35 24:41 C2\"}").value, "\"matches\":true"));
  CHECK(holds(fh_test_call(&checksum, "{\"text\":\"abd\",\"expected\":\"352441c2\"}").value, "\"matches\":false"));
  fh_outcome odd = fh_test_call(&checksum, "{\"text\":\"abc\",\"expected\":\"352441\"}");
  CHECK(!odd.ok && holds(fh_test_message(&odd.call), "8, 40, 64 or 128"));
}

int main(void) {
  the_published_examples();
  messages_about_as_long_as_a_block();
  bytes_come_as_text_or_as_base64();
  an_expected_sum_is_found_however_it_is_written();
  printf(failed ? "%d checks failed\n" : "every check holds\n", failed);
  return failed != 0;
}
