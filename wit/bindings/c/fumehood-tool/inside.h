// What the files of this library share and a tool does not need.

#ifndef FUMEHOOD_TOOL_INSIDE_H
#define FUMEHOOD_TOOL_INSIDE_H

#include <stdarg.h>

#include "fumehood_tool.h"

fh_text fh_formatv(const char *format, va_list arguments) FH_FORMAT(1, 0);
bool fh_is_utf8(fh_text text);

// A copy for the host, which gives back each piece by itself.
tool_component_string_t fh_copy(fh_text text);

// The three exports of one tool, as JSON in and JSON out.
bool fh_execute(const fh_tool *tool, fh_text args, fh_call *call, fh_text *value);
bool fh_render(const fh_tool *tool, fh_text args, fh_text value, fh_content *content);
bool fh_present(const fh_tool *tool, fh_text args, fh_text value, fh_card *card);

#endif
