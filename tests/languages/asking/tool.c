// The tool of a project that asks for a folder, a variable, a clock and random numbers, once its vendor uses them.
// It takes and gives what the template's does, so that the manifest stays as `fumehood new` wrote it.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fumehood_tool.h"

static void line(fh_writer *value, unsigned number, fh_text text) {
  fh_begin_object(value, NULL);
  fh_put_unsigned(value, "number", number);
  fh_put_text(value, "text", text);
  fh_end_object(value);
}

static bool execute(fh_call *call, const fh_json *args, fh_writer *value) {
  const char *greeting = getenv("GREETING");
  if (greeting == NULL) return fh_denied(call, "there is no GREETING");
  fh_text path = fh_as_text(fh_get(args, "text"));
  FILE *file = fopen(fh_format("%.*s", FH_ARG(path)).ptr, "r");
  if (file == NULL) return fh_not_found(call, "there is no %.*s", FH_ARG(path));
  char held[64] = "", drawn[2][16] = {"", ""};
  fgets(held, sizeof held, file);
  fclose(file);
  getentropy(drawn[0], sizeof *drawn);
  getentropy(drawn[1], sizeof *drawn);
  fh_begin_object(value, NULL);
  fh_begin_array(value, "lines");
  line(value, 1, fh_of(greeting));
  line(value, 2, fh_of(held));
  // The first second of 2025.
  line(value, 3, time(NULL) > 1735689600 ? FH("now") : FH("long ago"));
  line(value, 4, memcmp(drawn[0], drawn[1], sizeof *drawn) ? FH("chance") : FH("no chance"));
  fh_end_array(value);
  fh_put_unsigned(value, "total", 4);
  fh_end_object(value);
  return true;
}

const fh_tool find_lines = {.name = "asking", .execute = execute};

FH_COMPONENT(&find_lines)
