// Tests of tool.c, on this machine: make test

#include <stdio.h>

#include "fumehood_tool.h"

extern const fh_tool find_lines;

static int failed;

#define CHECK(what)                                                     \
  do {                                                                  \
    if (!(what)) {                                                      \
      printf("%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #what); \
      failed++;                                                         \
    }                                                                   \
  } while (0)

static bool is(fh_text text, const char *expect) {
  bool same = fh_equal(text, fh_of(expect));
  if (!same) printf("got    %.*s\nexpect %s\n", FH_ARG(text), expect);
  return same;
}

static void lines_that_hold_the_word_with_their_numbers(void) {
  fh_outcome found = fh_test_call(&find_lines, "{\"text\":\"one\\ntwo\\ntwofold\\n\",\"find\":\"two\"}");
  CHECK(found.ok);
  CHECK(is(found.value, "{\"lines\":[{\"number\":2,\"text\":\"two\"},{\"number\":3,\"text\":\"twofold\"}],\"total\":2}"));
  CHECK(is(fh_test_text(&found.content), "2: two\n3: twofold"));
}

static void much_is_counted_and_left_out(void) {
  fh_writer args = {0};
  fh_begin_object(&args, NULL);
  fh_writer text = {0};
  for (int line = 0; line < 60; line++) fh_append(&text, FH("x\n"));
  fh_put_text(&args, "text", fh_written(&text));
  fh_put_text(&args, "find", FH("x"));
  fh_end_object(&args);
  fh_outcome found = fh_test_call(&find_lines, fh_format("%.*s", FH_ARG(fh_written(&args))).ptr);
  CHECK(found.ok);
  CHECK(fh_find(fh_test_text(&found.content), FH("\n(10 more)")) != SIZE_MAX);
}

static void nothing_to_look_for_is_an_error_that_says_what_to_write(void) {
  fh_outcome found = fh_test_call(&find_lines, "{\"text\":\"a\",\"find\":\"\"}");
  CHECK(!found.ok && found.call.error.tag == FUMEHOOD_TOOL_TYPES_TOOL_ERROR_INVALID_ARGS);
}

static void a_card_for_the_finished_call_alone(void) {
  const char *args = "{\"text\":\"a\",\"find\":\"a\"}";
  fh_card card;
  CHECK(fh_test_card(&find_lines, args, fh_test_call(&find_lines, args).value, &card));
  CHECK(card.tag == FUMEHOOD_TOOL_TYPES_CARD_GENERIC);
  CHECK(is((fh_text){(char *)card.val.generic.title.ptr, card.val.generic.title.len}, "1 line holds \"a\""));
  CHECK(!fh_test_card(&find_lines, args, FH_NONE, &card));
}

int main(void) {
  lines_that_hold_the_word_with_their_numbers();
  much_is_counted_and_left_out();
  nothing_to_look_for_is_an_error_that_says_what_to_write();
  a_card_for_the_finished_call_alone();
  printf(failed ? "%d checks failed\n" : "every check holds\n", failed);
  return failed != 0;
}
