// A tool's three exports as JSON in, JSON out, and how it fails. Nothing here knows a host: tests run it natively.

#include <stdlib.h>
#include <string.h>

#include "inside.h"

static bool fail(fh_call *call, uint8_t tag, fh_text message) {
  call->error.tag = tag;
  // The four cases that are a text alone lie at one place.
  call->error.val.invalid_args = fh_copy(message);
  return false;
}

#define FAILS(function, tag)                                                             \
  bool function(fh_call *call, const char *format, ...) {                                \
    va_list arguments;                                                                   \
    va_start(arguments, format);                                                         \
    fh_text message = fh_formatv(format, arguments);                                     \
    va_end(arguments);                                                                   \
    return fail(call, FUMEHOOD_TOOL_TYPES_TOOL_ERROR_##tag, message);                    \
  }

FAILS(fh_invalid_args, INVALID_ARGS)
FAILS(fh_not_found, NOT_FOUND)
FAILS(fh_denied, DENIED)
FAILS(fh_unavailable, UNAVAILABLE)

bool fh_failed(fh_call *call, const char *code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fh_text message = fh_formatv(format, arguments);
  va_end(arguments);
  call->error.tag = FUMEHOOD_TOOL_TYPES_TOOL_ERROR_FAILED;
  call->error.val.failed = (fumehood_tool_types_failure_t){fh_copy(fh_of(code)), fh_copy(message), {false, {NULL, 0}}};
  return false;
}

bool fh_execute(const fh_tool *tool, fh_text args, fh_call *call, fh_text *value) {
  memset(call, 0, sizeof *call);
  const fh_json *given = fh_parse(args);
  if (given == NULL) return fh_invalid_args(call, "the arguments are no JSON");
  fh_writer out = {0};
  if (!tool->execute(call, given, &out)) return false;
  if (out.why) return fh_failed(call, "BAD_VALUE", "the tool's value %s", out.why);
  *value = fh_written(&out);
  return true;
}

bool fh_render(const fh_tool *tool, fh_text args, fh_text value, fh_content *content) {
  memset(content, 0, sizeof *content);
  const fh_json *given = fh_parse(args), *made = fh_parse(value);
  if (given == NULL || made == NULL) return false;
  if (tool->render) tool->render(given, made, content);
  else fh_add_text(content, fh_outline(made));
  return true;
}

bool fh_present(const fh_tool *tool, fh_text args, fh_text value, fh_card *card) {
  if (tool->present == NULL) return false;
  const fh_json *given = fh_parse(args), *made = value.ptr ? fh_parse(value) : NULL;
  return given && tool->present(given, made, card);
}

// --- For tests ---

fh_outcome fh_test_call(const fh_tool *tool, const char *args) {
  fh_outcome outcome = {0};
  outcome.ok = fh_execute(tool, fh_of(args), &outcome.call, &outcome.value) &&
               fh_render(tool, fh_of(args), outcome.value, &outcome.content);
  return outcome;
}

bool fh_test_card(const fh_tool *tool, const char *args, fh_text value, fh_card *card) {
  return fh_present(tool, fh_of(args), value, card);
}

fh_text fh_test_text(const fh_content *content) {
  if (content->len != 1 || content->ptr[0].tag != FUMEHOOD_TOOL_TYPES_CONTENT_BLOCK_TEXT) return FH_NONE;
  tool_component_string_t text = content->ptr[0].val.text.text;
  return (fh_text){(const char *)text.ptr, text.len};
}

fh_text fh_test_message(const fh_call *call) {
  bool failed = call->error.tag == FUMEHOOD_TOOL_TYPES_TOOL_ERROR_FAILED;
  tool_component_string_t text = failed ? call->error.val.failed.message : call->error.val.invalid_args;
  return (fh_text){(const char *)text.ptr, text.len};
}
