// Find the lines of a text that hold a word. Start here: change what it takes, what it gives, and what it does.

#include "fumehood_tool.h"

// As many as a model wants to read.
#define SHOWN 50

// The work. Only this may use what an operator granted.
static bool execute(fh_call *call, const fh_json *args, fh_writer *value) {
  fh_text rest = fh_as_text(fh_get(args, "text")), find = fh_as_text(fh_get(args, "find"));
  if (find.len == 0) {
    return fh_invalid_args(call, "`find` is empty, and every line holds nothing: write what to look for");
  }
  uint64_t number = 0, total = 0;
  fh_begin_object(value, NULL);
  fh_begin_array(value, "lines");
  while (rest.len > 0) {
    size_t end = fh_find(rest, FH("\n")), next = end == SIZE_MAX ? rest.len : end + 1;
    fh_text line = {rest.ptr, end == SIZE_MAX ? rest.len : end};
    rest = (fh_text){rest.ptr + next, rest.len - next};
    number++;
    if (fh_find(line, find) == SIZE_MAX) continue;
    if (total++ >= SHOWN) continue;
    fh_begin_object(value, NULL);
    fh_put_unsigned(value, "number", number);
    fh_put_text(value, "text", line);
    fh_end_object(value);
  }
  fh_end_array(value);
  fh_put_unsigned(value, "total", total);
  fh_end_object(value);
  fh_log("DEBUG", "%llu of %llu lines", (unsigned long long)total, (unsigned long long)number);
  return true;
}

static fh_text listed(const fh_json *value) {
  fh_writer text = {0};
  for (const fh_json *line = fh_first(fh_get(value, "lines")); line; line = line->next) {
    if (text.len) fh_append(&text, FH("\n"));
    fh_appendf(&text, "%llu: ", (unsigned long long)fh_as_unsigned(fh_get(line, "number"), 0));
    fh_append(&text, fh_as_text(fh_get(line, "text")));
  }
  return fh_written(&text);
}

// What a model reads of the value.
static void render(const fh_json *args, const fh_json *value, fh_content *content) {
  fh_text find = fh_as_text(fh_get(args, "find"));
  unsigned long long total = fh_as_unsigned(fh_get(value, "total"), 0);
  size_t shown = fh_get(value, "lines") ? fh_get(value, "lines")->length : 0;
  fh_text lines = listed(value);
  if (total == 0) {
    fh_add_text(content, fh_format("No line holds \"%.*s\".", FH_ARG(find)));
  } else if (total > shown) {
    fh_add_text(content, fh_format("%.*s\n(%llu more)", FH_ARG(lines), total - shown));
  } else {
    fh_add_text(content, lines);
  }
}

// What a person sees. While the call runs, the card that every tool has will do.
static bool present(const fh_json *args, const fh_json *value, fh_card *card) {
  if (value == NULL) return false;
  fh_text find = fh_as_text(fh_get(args, "find"));
  unsigned long long total = fh_as_unsigned(fh_get(value, "total"), 0);
  const char *hold = total == 1 ? "line holds" : "lines hold";
  fh_generic_card(card, fh_format("%llu %s \"%.*s\"", total, hold, FH_ARG(find)), FH_SEARCH);
  fh_writer input = {0};
  fh_begin_object(&input, NULL);
  fh_put_text(&input, "find", find);
  fh_end_object(&input);
  fh_set_input(card, &input);
  if (total > 0) fh_add_text(fh_body(card), listed(value));
  return true;
}

const fh_tool find_lines = {"new_tool", execute, render, present};

FH_COMPONENT(&find_lines)
