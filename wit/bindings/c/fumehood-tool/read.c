// JSON into a tree. A host has checked each text before: what is not JSON is refused here all the same.

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

// Twice what a host takes.
#define DEEPEST 128

typedef struct reader {
  const char *at, *end;
} reader;

static bool value(reader *from, fh_json *into, int depth);

static void skip(reader *from) {
  while (from->at < from->end && memchr(" \t\r\n", *from->at, 4)) from->at++;
}

static bool take(reader *from, char wanted) {
  skip(from);
  if (from->at == from->end || *from->at != wanted) return false;
  from->at++;
  return true;
}

static bool word(reader *from, fh_text wanted) {
  if ((size_t)(from->end - from->at) < wanted.len || memcmp(from->at, wanted.ptr, wanted.len) != 0) return false;
  from->at += wanted.len;
  return true;
}

// Four hexadecimal digits, or -1.
static long unit(reader *from) {
  if (from->end - from->at < 4) return -1;
  long found = 0;
  for (int digit = 0; digit < 4; digit++, from->at++) {
    char c = *from->at;
    int of = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (of < 0) return -1;
    found = found << 4 | of;
  }
  return found;
}

static char *encode(char *to, long point) {
  int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};
  *to++ = (char)(leads[more] | point >> 6 * more);
  while (more-- > 0) *to++ = (char)(0x80 | (point >> 6 * more & 0x3F));
  return to;
}

// After the opening quote. No escape is shorter than what it stands for.
static bool string(reader *from, fh_text *into) {
  const char *close = from->at;
  while (close < from->end && *close != '"') close += *close == '\\' ? 2 : 1;
  if (close >= from->end) return false;
  char *text = fh_alloc((size_t)(close - from->at)), *to = text;
  while (from->at < close) {
    char c = *from->at++;
    if ((unsigned char)c < 0x20) return false;
    if (c != '\\') {
      *to++ = c;
      continue;
    }
    static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char escape = *from->at++;
    const char *known = escape ? strchr(escapes, escape) : NULL;
    if (known) {
      *to++ = meant[known - escapes];
    } else if (escape == 'u') {
      long point = unit(from);
      if (point >= 0xD800 && point < 0xDC00 && word(from, FH("\\u"))) {
        long low = unit(from);
        if (low < 0xDC00 || low > 0xDFFF) return false;
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
      }
      if (point < 0 || (point >= 0xD800 && point < 0xE000)) return false;
      to = encode(to, point);
    } else {
      return false;
    }
  }
  from->at = close + 1;
  *into = (fh_text){text, (size_t)(to - text)};
  return true;
}

static size_t digits(reader *from) {
  const char *start = from->at;
  while (from->at < from->end && *from->at >= '0' && *from->at <= '9') from->at++;
  return (size_t)(from->at - start);
}

static bool number(reader *from, fh_json *into) {
  const char *start = from->at;
  if (*from->at == '-') from->at++;
  bool zero = from->at < from->end && *from->at == '0';
  size_t whole = digits(from);
  if (whole == 0 || (zero && whole > 1)) return false;
  if (from->at < from->end && *from->at == '.') {
    from->at++;
    if (digits(from) == 0) return false;
  }
  if (from->at < from->end && (*from->at == 'e' || *from->at == 'E')) {
    from->at++;
    if (from->at < from->end && (*from->at == '+' || *from->at == '-')) from->at++;
    if (digits(from) == 0) return false;
  }
  size_t length = (size_t)(from->at - start);
  // With a zero byte at its end, for strtod.
  char *text = fh_alloc(length + 1);
  memcpy(text, start, length);
  into->kind = FH_NUMBER;
  into->text = (fh_text){text, length};
  return true;
}

static bool several(reader *from, fh_json *into, int depth, char close) {
  fh_json **next = &into->first;
  if (depth == DEEPEST) return false;
  if (take(from, close)) return true;
  do {
    fh_json *item = fh_alloc(sizeof *item);
    if (close == '}' && !(take(from, '"') && string(from, &item->name) && take(from, ':'))) return false;
    if (!value(from, item, depth + 1)) return false;
    *next = item;
    next = &item->next;
    into->length++;
  } while (take(from, ','));
  return take(from, close);
}

static bool value(reader *from, fh_json *into, int depth) {
  skip(from);
  if (from->at == from->end) return false;
  switch (*from->at) {
    case '{': from->at++; into->kind = FH_OBJECT; return several(from, into, depth, '}');
    case '[': from->at++; into->kind = FH_ARRAY; return several(from, into, depth, ']');
    case '"': from->at++; into->kind = FH_STRING; return string(from, &into->text);
    case 'n': into->kind = FH_NULL; return word(from, FH("null"));
    case 'f': into->kind = FH_BOOL; return word(from, FH("false"));
    case 't': into->kind = FH_BOOL; into->boolean = true; return word(from, FH("true"));
    default: return number(from, into);
  }
}

const fh_json *fh_parse(fh_text json) {
  reader from = {json.ptr, json.ptr + json.len};
  fh_json *root = fh_alloc(sizeof *root);
  if (!value(&from, root, 0)) return NULL;
  skip(&from);
  return from.at == from.end ? root : NULL;
}

const fh_json *fh_first(const fh_json *list) { return list ? list->first : NULL; }

const fh_json *fh_get(const fh_json *object, const char *name) {
  if (object == NULL || object->kind != FH_OBJECT) return NULL;
  fh_text wanted = fh_of(name);
  for (const fh_json *member = object->first; member; member = member->next) {
    if (fh_equal(member->name, wanted)) return member;
  }
  return NULL;
}

fh_text fh_as_text(const fh_json *json) { return json && json->kind == FH_STRING ? json->text : FH_NONE; }

bool fh_as_bool(const fh_json *json, bool otherwise) {
  return json && json->kind == FH_BOOL ? json->boolean : otherwise;
}

double fh_as_number(const fh_json *json, double otherwise) {
  return json && json->kind == FH_NUMBER ? strtod(json->text.ptr, NULL) : otherwise;
}

// Whether it is written as digits alone: then no float comes in between.
static bool plain(const fh_json *json) { return strpbrk(json->text.ptr, ".eE") == NULL; }

int64_t fh_as_integer(const fh_json *json, int64_t otherwise) {
  if (json == NULL || json->kind != FH_NUMBER) return otherwise;
  if (plain(json)) {
    errno = 0;
    int64_t found = strtoll(json->text.ptr, NULL, 10);
    return errno ? otherwise : found;
  }
  double found = strtod(json->text.ptr, NULL);
  return found == floor(found) && found >= -0x1p63 && found < 0x1p63 ? (int64_t)found : otherwise;
}

uint64_t fh_as_unsigned(const fh_json *json, uint64_t otherwise) {
  if (json == NULL || json->kind != FH_NUMBER) return otherwise;
  if (plain(json) && json->text.ptr[0] != '-') {
    errno = 0;
    uint64_t found = strtoull(json->text.ptr, NULL, 10);
    return errno ? otherwise : found;
  }
  double found = strtod(json->text.ptr, NULL);
  return found == floor(found) && found >= 0 && found < 0x1p64 ? (uint64_t)found : otherwise;
}
