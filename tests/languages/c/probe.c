// A projector that tries what projectors may not, or gets a constant for. `args` says what.

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "fumehood_tool.h"

extern char **environ;

static bool execute(fh_call *call, const fh_json *args, fh_writer *value) {
  (void)call;
  fh_put_json(value, NULL, args);
  return true;
}

static void render(const fh_json *args, const fh_json *value, fh_content *content) {
  (void)value;
  fh_text attempt = fh_as_text(fh_get(args, "try"));
  if (fh_equal(attempt, FH("wall-clock"))) {
    fh_add_text(content, fh_format("%lld", (long long)time(NULL)));
  } else if (fh_equal(attempt, FH("break"))) {
    fh_log("ERROR", "the projector broke on purpose");
    abort();
  } else if (fh_equal(attempt, FH("environment"))) {
    int count = 0;
    while (environ && environ[count]) count++;
    fh_add_text(content, fh_format("%d variables", count));
  } else {
    unsigned char bytes[8];
    if (getentropy(bytes, sizeof bytes) != 0) abort();
    fh_writer text = {0};
    for (size_t at = 0; at < sizeof bytes; at++) fh_appendf(&text, "%02x", bytes[at]);
    fh_add_text(content, fh_written(&text));
  }
}

static const fh_tool probe = {"probe", execute, render, NULL};
extern const fh_tool gallery;

FH_COMPONENT(&gallery, &probe)
