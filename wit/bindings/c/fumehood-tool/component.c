// From tools to the one component that exports them. The only file that knows what a host provides: natively there is
// nobody to export to, and progress goes nowhere.

#include "inside.h"

void fh_progress(fh_call *call, uint64_t done, uint64_t total, fh_text message) {
  call->reports++;
#ifdef __wasm__
  tool_component_string_t said = fh_copy(message);
  fumehood_tool_progress_report(done, total ? &total : NULL, message.ptr ? &said : NULL);
#else
  (void)done, (void)total, (void)message;
#endif
}

#ifdef __wasm__

static fh_text text(const tool_component_string_t *of) { return (fh_text){(const char *)of->ptr, of->len}; }

static const fh_tool *find(const tool_component_string_t *name) {
  for (const fh_tool *const *tool = fh_tools; *tool; tool++) {
    if (fh_equal(fh_of((*tool)->name), text(name))) return *tool;
  }
  return NULL;
}

static fh_text unknown(const tool_component_string_t *name) {
  return fh_format("this component has no tool `%.*s`", FH_ARG(text(name)));
}

bool exports_fumehood_tool_tool_execute(tool_component_string_t *tool, fumehood_tool_types_json_t *args,
                                        fumehood_tool_types_json_t *ret, fumehood_tool_types_tool_error_t *err) {
  const fh_tool *found = find(tool);
  fh_call call = {0};
  fh_text value = FH_NONE, missing = unknown(tool);
  if (found ? fh_execute(found, text(args), &call, &value) : fh_not_found(&call, "%.*s", FH_ARG(missing))) {
    *ret = fh_copy(value);
    return true;
  }
  *err = call.error;
  return false;
}

bool exports_fumehood_tool_tool_render(tool_component_string_t *tool, fumehood_tool_types_json_t *args,
                                       fumehood_tool_types_json_t *value,
                                       exports_fumehood_tool_tool_list_content_block_t *ret,
                                       tool_component_string_t *err) {
  const fh_tool *found = find(tool);
  fh_content content = {0};
  if (found && fh_render(found, text(args), text(value), &content)) {
    ret->ptr = content.ptr;
    ret->len = content.len;
    return true;
  }
  *err = fh_copy(found ? FH("the arguments or the value are no JSON") : unknown(tool));
  return false;
}

bool exports_fumehood_tool_tool_present(tool_component_string_t *tool, fumehood_tool_types_json_t *args,
                                        fumehood_tool_types_json_t *value,
                                        exports_fumehood_tool_tool_option_card_t *ret, tool_component_string_t *err) {
  const fh_tool *found = find(tool);
  if (found == NULL) {
    *err = fh_copy(unknown(tool));
    return false;
  }
  ret->is_some = fh_present(found, text(args), value ? text(value) : FH_NONE, &ret->val);
  return true;
}

#endif
