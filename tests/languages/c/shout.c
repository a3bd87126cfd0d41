// Says a text in capitals.
//
// An instance lives for one call, so what the host passed in is not freed; what goes out is freed by the bindings.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/tool_component.h"

typedef tool_component_string_t string;

static string copy(const char *text) {
  string copied = {(uint8_t *)malloc(strlen(text) + 1), strlen(text)};
  memcpy(copied.ptr, text, copied.len + 1);
  return copied;
}

// Where the value of a member of `object` begins. The host has parsed the text and checked it against the schema: it is
// one object of strings and numbers, and the member is there.
static const uint8_t *member(const string *object, const char *name) {
  size_t name_len = strlen(name);
  for (const uint8_t *at = object->ptr; at < object->ptr + object->len; at++) {
    if (*at != '"') continue;
    const uint8_t *key = ++at;
    for (; *at != '"'; at++) at += *at == '\\';
    if ((size_t)(at - key) != name_len || memcmp(key, name, name_len) != 0) continue;
    const uint8_t *next = at + 1;
    while (strchr(" \t\r\n", *next)) next++;
    if (*next++ != ':') continue;
    while (strchr(" \t\r\n", *next)) next++;
    return next;
  }
  abort();
}

static uint32_t hex4(const uint8_t *digits) {
  char text[5] = {0};
  memcpy(text, digits, 4);
  return (uint32_t)strtoul(text, NULL, 16);
}

// Undo the escapes of a JSON string that begins at `quote`. Never longer than the source.
static string decode(const uint8_t *quote, const string *within) {
  string text = {malloc(within->len), 0};
  for (const uint8_t *at = quote + 1; *at != '"'; at++) {
    if (*at != '\\') {
      text.ptr[text.len++] = *at;
      continue;
    }
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (*++at != 'u') {
      text.ptr[text.len++] = (uint8_t)meanings[strchr(escapes, *at) - escapes];
      continue;
    }
    uint32_t point = hex4(at + 1);
    at += 4;
    if (point >= 0xD800 && point < 0xDC00) {
      point = 0x10000 + ((point - 0xD800) << 10) + (hex4(at + 3) - 0xDC00);
      at += 6;
    }
    int tail = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const uint8_t leads[] = {0, 0xC0, 0xE0, 0xF0};
    text.ptr[text.len++] = (uint8_t)(leads[tail] | point >> 6 * tail);
    while (tail-- > 0) text.ptr[text.len++] = (uint8_t)(0x80 | (point >> 6 * tail & 0x3F));
  }
  return text;
}

// The text as a JSON string, with its quotes. Six times the size is room for nothing but control characters.
static char *encode(const string *text) {
  char *json = malloc(6 * text->len + 3), *end = json;
  *end++ = '"';
  for (size_t i = 0; i < text->len; i++) {
    uint8_t byte = text->ptr[i];
    if (byte < 0x20) {
      end += sprintf(end, "\\u%04x", byte);
      continue;
    }
    if (byte == '"' || byte == '\\') *end++ = '\\';
    *end++ = (char)byte;
  }
  memcpy(end, "\"", 2);
  return json;
}

bool exports_fumehood_tool_tool_execute(string *tool, string *args, string *ret,
                                        exports_fumehood_tool_tool_tool_error_t *err) {
  string text = decode(member(args, "text"), args);
  if (text.len == 0) {
    err->tag = FUMEHOOD_TOOL_TYPES_TOOL_ERROR_INVALID_ARGS;
    err->val.invalid_args = copy("there is nothing to shout");
    return false;
  }
  unsigned long length = 0;
  for (size_t i = 0; i < text.len; i++) {
    // Letters outside ASCII stay: how they are capitalised depends on a runtime's Unicode version.
    if (text.ptr[i] >= 'a' && text.ptr[i] <= 'z') text.ptr[i] -= 'a' - 'A';
    // Every byte but those that continue a character.
    length += (text.ptr[i] & 0xC0) != 0x80;
  }
  char *shouted = encode(&text);
  ret->ptr = malloc(strlen(shouted) + 64);
  ret->len = (size_t)sprintf((char *)ret->ptr, "{\"text\":%s,\"length\":%lu}", shouted, length);
  return true;
}

static void one_line(exports_fumehood_tool_tool_list_content_block_t *content, string *value) {
  string text = decode(member(value, "text"), value);
  unsigned long length = strtoul((const char *)member(value, "length"), NULL, 10);
  text.ptr = realloc(text.ptr, text.len + 64);
  text.len += (size_t)sprintf((char *)text.ptr + text.len, " (%lu characters)", length);
  content->len = 1;
  // Zeroed: no annotations.
  content->ptr = calloc(1, sizeof *content->ptr);
  content->ptr->tag = FUMEHOOD_TOOL_TYPES_CONTENT_BLOCK_TEXT;
  content->ptr->val.text.text = text;
}

bool exports_fumehood_tool_tool_render(string *tool, string *args, string *value,
                                       exports_fumehood_tool_tool_list_content_block_t *ret, string *err) {
  one_line(ret, value);
  return true;
}

bool exports_fumehood_tool_tool_present(string *tool, string *args, string *maybe_value,
                                        exports_fumehood_tool_tool_option_card_t *ret, string *err) {
  // Zeroed: no input of its own, no body, no locations.
  memset(ret, 0, sizeof *ret);
  ret->is_some = true;
  ret->val.tag = FUMEHOOD_TOOL_TYPES_CARD_GENERIC;
  fumehood_tool_types_generic_card_t *card = &ret->val.val.generic;
  card->kind.is_some = true;
  card->kind.val = FUMEHOOD_TOOL_TYPES_TOOL_KIND_OTHER;
  if (maybe_value) {
    card->title = copy("Shout");
    one_line((exports_fumehood_tool_tool_list_content_block_t *)&card->body, maybe_value);
  } else {
    // The call has not finished: a title is all there is to show.
    card->title = copy("Shout …");
  }
  return true;
}
