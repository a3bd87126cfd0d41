// JSON and plain text, written at the end of a growing piece of memory.

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static char *room(fh_writer *to, size_t more) {
  if (to->capacity - to->len < more) {
    size_t capacity = (to->capacity + more) * 2;
    char *moved = realloc(to->ptr, capacity);
    if (moved == NULL) {
      fputs("no memory is left\n", stderr);
      abort();
    }
    to->ptr = moved;
    to->capacity = capacity;
  }
  return to->ptr + to->len;
}

void fh_append(fh_writer *to, fh_text text) {
  if (text.len) memcpy(room(to, text.len), text.ptr, text.len);
  to->len += text.len;
}

void fh_appendf(fh_writer *to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fh_append(to, fh_formatv(format, arguments));
  va_end(arguments);
}

fh_text fh_written(const fh_writer *from) { return (fh_text){from->ptr, from->len}; }

static void quoted(fh_writer *to, fh_text text) {
  if (!fh_is_utf8(text)) {
    to->why = "holds a text that is not UTF-8; write bytes as base64";
    return;
  }
  fh_append(to, FH("\""));
  for (size_t at = 0; at < text.len; at++) {
    unsigned char byte = (unsigned char)text.ptr[at];
    if (byte < 0x20) fh_appendf(to, byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : "\\u%04x", byte);
    else if (byte == '"' || byte == '\\') fh_append(to, (fh_text){(char[]){'\\', (char)byte}, 2});
    else *room(to, 1) = (char)byte, to->len++;
  }
  fh_append(to, FH("\""));
}

// What stands before a value: a comma where there was one before it, and its name.
static bool begin(fh_writer *to, const char *name) {
  if (to->why) return false;
  if (to->comma) fh_append(to, FH(","));
  to->comma = true;
  if (name) {
    quoted(to, fh_of(name));
    fh_append(to, FH(":"));
  }
  return true;
}

static void put(fh_writer *to, const char *name, fh_text token) {
  if (begin(to, name)) fh_append(to, token);
}

static void open(fh_writer *to, const char *name, fh_text bracket) {
  put(to, name, bracket);
  to->comma = false;
}

static void close(fh_writer *to, fh_text bracket) {
  if (to->why) return;
  fh_append(to, bracket);
  to->comma = true;
}

void fh_begin_object(fh_writer *to, const char *name) { open(to, name, FH("{")); }
void fh_end_object(fh_writer *to) { close(to, FH("}")); }
void fh_begin_array(fh_writer *to, const char *name) { open(to, name, FH("[")); }
void fh_end_array(fh_writer *to) { close(to, FH("]")); }
void fh_put_null(fh_writer *to, const char *name) { put(to, name, FH("null")); }
void fh_put_bool(fh_writer *to, const char *name, bool value) { put(to, name, value ? FH("true") : FH("false")); }
void fh_put_integer(fh_writer *to, const char *name, int64_t value) { put(to, name, fh_format("%" PRId64, value)); }
void fh_put_unsigned(fh_writer *to, const char *name, uint64_t value) { put(to, name, fh_format("%" PRIu64, value)); }

void fh_put_number(fh_writer *to, const char *name, double value) {
  if (!isfinite(value)) {
    to->why = "holds NaN or infinity, which are no JSON numbers; write null, or a text";
    return;
  }
  // As short as reads back the same.
  fh_text token = FH_NONE;
  for (int digits = DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
    token = fh_format("%.*g", digits, value);
    if (strtod(token.ptr, NULL) == value) break;
  }
  put(to, name, token);
}

void fh_put_text(fh_writer *to, const char *name, fh_text value) {
  if (begin(to, name)) quoted(to, value);
}

void fh_put_json(fh_writer *to, const char *name, const fh_json *value) {
  switch (value ? value->kind : FH_NULL) {
    case FH_NULL: fh_put_null(to, name); return;
    case FH_BOOL: fh_put_bool(to, name, value->boolean); return;
    case FH_NUMBER: put(to, name, value->text); return;
    case FH_STRING: fh_put_text(to, name, value->text); return;
    case FH_ARRAY:
      fh_begin_array(to, name);
      for (const fh_json *item = value->first; item; item = item->next) fh_put_json(to, NULL, item);
      fh_end_array(to);
      return;
    case FH_OBJECT:
      fh_begin_object(to, name);
      for (const fh_json *member = value->first; member; member = member->next) {
        if (begin(to, NULL)) {
          quoted(to, member->name);
          fh_append(to, FH(":"));
          to->comma = false;
        }
        fh_put_json(to, NULL, member);
      }
      fh_end_object(to);
      return;
  }
}
