// Everything the library can say, by name. `../gallery.json` holds what must come of it in every language.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fumehood_tool.h"

#define BYTES ((fh_text){"\0\377\200", 3})

static bool is(fh_text text, const char *what) { return fh_equal(text, fh_of(what)); }

static bool execute(fh_call *call, const fh_json *args, fh_writer *value) {
  fh_text show = fh_as_text(fh_get(args, "show"));
  if (is(show, "invalid-args")) return fh_invalid_args(call, "no sense");
  if (is(show, "not-found")) return fh_not_found(call, "not there");
  if (is(show, "denied")) return fh_denied(call, "not allowed");
  if (is(show, "unavailable")) return fh_unavailable(call, "later");
  if (is(show, "failed")) return fh_failed(call, "STALE_2", "too %s", "old");
  if (is(show, "break")) {
    fh_log("ERROR", "the tool broke on purpose");
    abort();
  }
  fh_progress(call, 1, 2, FH("half"));
  fh_progress(call, 2, 0, FH_NONE);
  fh_log("INFO", "one\nline");
  fh_begin_object(value, NULL);
  fh_put_text(value, "show", show);
  fh_begin_array(value, "numbers");
  if (is(show, "no-number")) fh_put_number(value, NULL, NAN);
  fh_put_unsigned(value, NULL, 0);
  fh_put_number(value, NULL, -1.5);
  fh_put_integer(value, NULL, 4294967296);
  fh_end_array(value);
  fh_begin_array(value, "nested");
  fh_put_json(value, NULL, fh_parse(FH("[1, []]")));
  fh_put_json(value, NULL, fh_parse(FH("{\"a\": {}}")));
  fh_end_array(value);
  fh_put_text(value, "text", FH("é 😀\n\1\"\\\n"));
  fh_put_null(value, "none");
  fh_end_object(value);
  return true;
}

static void render(const fh_json *args, const fh_json *value, fh_content *content) {
  if (!is(fh_as_text(fh_get(args, "show")), "blocks")) {
    fh_add_text(content, fh_outline(value));
    return;
  }
  fh_add_text(content, FH("plain"));
  fh_block *noted = fh_add_text(content, FH("noted"));
  fh_add_reader(noted, FUMEHOOD_TOOL_TYPES_ROLE_USER);
  fh_add_reader(noted, FUMEHOOD_TOOL_TYPES_ROLE_ASSISTANT);
  fh_set_priority(noted, 1);
  fh_set_last_modified(noted, FH("2026-01-01T00:00:00Z"));
  fh_add_image(content, BYTES, FH("image/png"));
  fh_add_reader(fh_add_audio(content, BYTES, FH("audio/wav")), FUMEHOOD_TOOL_TYPES_ROLE_USER);
  fh_add_link(content, FH("file:///a"), FH("a"), FH("A file."), FH("text/plain"));
  fh_add_resource_text(content, FH("x:text"), FH("held"), FH("text/plain"));
  fh_set_priority(fh_add_resource_blob(content, FH("x:bytes"), BYTES, FH_NONE), 0);
}

static bool present(const fh_json *args, const fh_json *value, fh_card *card) {
  fh_text show = fh_as_text(fh_get(args, "show"));
  if (value == NULL) {
    fh_terminal_card(card, fh_format("%.*s …", FH_ARG(show)), FH_NONE);
  } else if (is(show, "generic")) {
    fh_generic_card(card, FH("A\ntitle"), FH_EDIT);
    fh_writer input = {0};
    fh_begin_object(&input, NULL);
    fh_begin_array(&input, "a");
    fh_put_integer(&input, NULL, 1);
    fh_end_array(&input);
    fh_end_object(&input);
    fh_set_input(card, &input);
    fh_add_text(fh_body(card), FH("one"));
    fh_set_priority(fh_add_text(fh_body(card), FH("two")), 0.5);
    fh_add_location(card, FH("a.rs"), 3);
    fh_add_location(card, FH("b.rs"), 0);
  } else if (is(show, "exited")) {
    fh_terminal_card(card, FH("make"), FH("done\n"));
    fh_set_description(card, FH("Builds it."), FH("/src"));
    fh_set_exited(card, 2);
  } else if (is(show, "killed")) {
    fh_terminal_card(card, FH("make"), FH_NONE);
    fh_set_killed(card, FH("SIGKILL"), true);
  } else if (is(show, "diff")) {
    fh_diff_card(card, FH("Changed"));
    fh_add_diff(card, FH("a"), FH("1\n"), FH("2\n"));
    fh_add_diff(card, FH("b"), FH_NONE, FH(""));
  } else if (is(show, "read")) {
    fh_read_card(card, FH("A part"), FH("a.rs"), 2, 9);
    fh_set_language(card, FH("rust"));
    fh_add_line(card, 2, FH("two"));
    fh_add_line(card, 4, FH("four"));
  } else if (is(show, "matches")) {
    fh_matches_card(card, FH("Found"));
    fh_add_match(card, FH("a"), 1, FH("x"));
    fh_add_match(card, FH("a"), 5, FH("xx"));
    fh_add_match(card, FH("b"), 2, FH("x"));
    fh_set_total(card, 9);
  } else if (is(show, "paths")) {
    fh_paths_card(card, FH("Found"));
    fh_add_path(card, FH("a"));
    fh_add_path(card, FH("b"));
  } else if (is(show, "matches-too-few")) {
    fh_matches_card(card, FH("Found"));
    fh_add_match(card, FH("a"), 1, FH("x"));
    fh_add_match(card, FH("b"), 2, FH("x"));
    fh_set_total(card, 1);
  } else if (is(show, "paths-too-few")) {
    fh_paths_card(card, FH("Found"));
    fh_add_path(card, FH("a"));
    fh_add_path(card, FH("b"));
    fh_set_total(card, 0);
  } else if (is(show, "search")) {
    fh_web_search_card(card, FH("Asked"), FH("42"));
    fh_add_source(card, FH("https://a.test/"), FH("A"), FH("…"), FH("2026-01-01"));
    fh_add_source(card, FH("http://b.test/"), FH_NONE, FH_NONE, FH_NONE);
  } else if (is(show, "fetch")) {
    fh_fetch_card(card, FH("Fetched"), FH("https://a.test/"), 404);
    fh_set_truncated(card);
  } else {
    return false;
  }
  return true;
}

const fh_tool gallery = {"gallery", execute, render, present};
