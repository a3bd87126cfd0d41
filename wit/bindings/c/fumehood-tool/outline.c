// How a value reads where its tool does not say: an indented outline, the same as in every language.
//
//     files:
//     - path: a.c
//       lines: 3
//     total: 1

#include "inside.h"

// The most that is shown, in bytes: some 12,000 tokens. Whoever has more to say writes a `render`.
#define SHOWN ((size_t)48 << 10)

typedef struct outline {
  fh_writer text;
  // Whether the next line goes on where the text ends: at its very start, and after `- `.
  bool open;
} outline;

static void value(outline *of, const fh_json *json, int depth);

static void line(outline *of, int depth) {
  fh_append(&of->text, FH("\n"));
  while (depth-- > 0) fh_append(&of->text, FH("  "));
}

static void begin(outline *of, int depth) {
  if (!of->open) line(of, depth);
  of->open = false;
}

static void scalar(outline *of, fh_text text, int depth) {
  if (of->text.len == 0) {
    // The whole value.
    fh_append(&of->text, text);
  } else if (fh_find(text, FH("\n")) != SIZE_MAX) {
    // Further in than anything beside it, so that no text can look like what is beside it.
    while (text.len > 0) {
      size_t end = fh_find(text, FH("\n")), next = end + 1;
      if (end == SIZE_MAX) end = next = text.len;
      line(of, depth + 1);
      fh_append(&of->text, (fh_text){text.ptr, end > 0 && end < next && text.ptr[end - 1] == '\r' ? end - 1 : end});
      text = (fh_text){text.ptr + next, text.len - next};
    }
  } else {
    if (!of->open) fh_append(&of->text, FH(" "));
    fh_append(&of->text, text.len ? text : FH("(empty)"));
  }
  of->open = false;
}

static void several(outline *of, const fh_json *json, int depth) {
  if (json->first == NULL) scalar(of, FH("(none)"), depth);
  for (const fh_json *item = json->first; item; item = item->next) {
    begin(of, depth);
    if (json->kind == FH_OBJECT) {
      fh_append(&of->text, item->name);
      fh_append(&of->text, FH(":"));
      value(of, item, item->kind == FH_ARRAY ? depth : depth + 1);
    } else {
      fh_append(&of->text, FH("- "));
      of->open = true;
      value(of, item, depth + 1);
    }
  }
}

// One value, after the text that leads to it.
static void value(outline *of, const fh_json *json, int depth) {
  if (of->text.len > SHOWN) return;
  switch (json->kind) {
    case FH_NULL: scalar(of, FH("null"), depth); return;
    case FH_BOOL: scalar(of, json->boolean ? FH("true") : FH("false"), depth); return;
    case FH_NUMBER:
    case FH_STRING: scalar(of, json->text, depth); return;
    case FH_ARRAY:
    case FH_OBJECT: several(of, json, depth); return;
  }
}

fh_text fh_outline(const fh_json *json) {
  outline of = {.open = true};
  value(&of, json, 0);
  if (of.text.len > SHOWN) {
    size_t end = SHOWN;
    // Never half a character.
    while (end > 0 && ((unsigned char)of.text.ptr[end] & 0xC0) == 0x80) end--;
    of.text.len = end;
    fh_append(&of.text, FH("\n(the rest is left out)"));
  }
  return fh_written(&of.text);
}
