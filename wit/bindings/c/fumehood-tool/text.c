// Texts and memory.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

void *fh_alloc(size_t size) {
  void *memory = calloc(1, size ? size : 1);
  if (memory == NULL) {
    fputs("no memory is left\n", stderr);
    abort();
  }
  return memory;
}

fh_text fh_of(const char *string) { return (fh_text){string, strlen(string)}; }

bool fh_equal(fh_text one, fh_text other) {
  return one.len == other.len && (one.len == 0 || memcmp(one.ptr, other.ptr, one.len) == 0);
}

size_t fh_find(fh_text text, fh_text part) {
  for (size_t at = 0; at + part.len <= text.len; at++) {
    if (part.len == 0 || memcmp(text.ptr + at, part.ptr, part.len) == 0) return at;
  }
  return SIZE_MAX;
}

fh_text fh_formatv(const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  if (length < 0) abort();
  char *text = fh_alloc((size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return (fh_text){text, (size_t)length};
}

fh_text fh_format(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fh_text text = fh_formatv(format, arguments);
  va_end(arguments);
  return text;
}

void fh_log(const char *level, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fh_text text = fh_formatv(format, arguments);
  va_end(arguments);
  fprintf(stderr, "%-5s ", level);
  // One call, one line: what is logged may come from outside.
  for (size_t at = 0; at < text.len; at++) {
    if (text.ptr[at] == '\n') fputs("\\n", stderr);
    else fputc(text.ptr[at], stderr);
  }
  fputc('\n', stderr);
}

// Whether it is UTF-8 as the Unicode standard has it (table 3-7): no overlong forms, no surrogates.
bool fh_is_utf8(fh_text text) {
  const unsigned char *at = (const unsigned char *)text.ptr, *end = at + text.len;
  while (at < end) {
    unsigned char lead = *at++;
    if (lead < 0x80) continue;
    unsigned char low = 0x80, high = 0xBF;
    int more = lead >= 0xC2 && lead <= 0xDF ? 1 : lead >= 0xE0 && lead <= 0xEF ? 2 : lead >= 0xF0 && lead <= 0xF4 ? 3 : 0;
    if (more == 0) return false;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
    for (; more > 0; more--, low = 0x80, high = 0xBF) {
      if (at == end || *at < low || *at > high) return false;
      at++;
    }
  }
  return true;
}
