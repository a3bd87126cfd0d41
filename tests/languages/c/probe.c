// A projector that tries what projectors may not, or gets a constant for. `args` says what.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bindings/tool_component.h"

typedef tool_component_string_t string;

extern char **environ;

bool exports_fumehood_tool_tool_execute(string *tool, string *args, string *ret,
                                        exports_fumehood_tool_tool_tool_error_t *err) {
  *ret = *args;
  return true;
}

bool exports_fumehood_tool_tool_render(string *tool, string *args, string *value,
                                       exports_fumehood_tool_tool_list_content_block_t *ret, string *err) {
  char *text = calloc(1, 128);
  const char *end = (const char *)args->ptr + args->len;
  // `{"try":"random"}`
#define TRIES(what) (memcmp(end - sizeof what "\"}" + 1, what "\"}", sizeof what + 1) == 0)
  if (TRIES("wall-clock")) {
    sprintf(text, "%lld", (long long)time(NULL));
  } else if (TRIES("exception")) {
    fputs("the projector broke on purpose\n", stderr);
    abort();
  } else if (TRIES("environment")) {
    int count = 0;
    while (environ && environ[count]) count++;
    sprintf(text, "%d variables", count);
  } else {
    unsigned char bytes[8];
    if (getentropy(bytes, sizeof bytes) != 0) abort();
    for (size_t i = 0; i < sizeof bytes; i++) sprintf(text + 2 * i, "%02x", bytes[i]);
  }
  ret->len = 1;
  ret->ptr = calloc(1, sizeof *ret->ptr);
  ret->ptr->tag = FUMEHOOD_TOOL_TYPES_CONTENT_BLOCK_TEXT;
  ret->ptr->val.text.text = (string){(uint8_t *)text, strlen(text)};
  return true;
}

bool exports_fumehood_tool_tool_present(string *tool, string *args, string *maybe_value,
                                        exports_fumehood_tool_tool_option_card_t *ret, string *err) {
  ret->is_some = false;
  return true;
}
