// Tests of the library that need no component. The argument is `outline.json`.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fumehood_tool.h"

static int failed;

static void check(const char *about, fh_text got, fh_text expect) {
  if (fh_equal(got, expect)) return;
  printf("%s\n  got    %.*s\n  expect %.*s\n", about, FH_ARG(got), FH_ARG(expect));
  failed++;
}

static void holds(const char *about, bool what) {
  if (what) return;
  printf("this does not hold: %s\n", about);
  failed++;
}

static void an_outline_is_the_same_in_every_language(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    exit(2);
  }
  char *text = fh_alloc(1 << 16);
  size_t length = fread(text, 1, 1 << 16, file);
  fclose(file);
  const fh_json *cases = fh_parse((fh_text){text, length});
  holds("the outlines are JSON", cases && cases->length > 10);
  for (const fh_json *item = fh_first(cases); item; item = item->next) {
    const fh_json *value = fh_first(item);
    check("outline", fh_outline(value), fh_as_text(value->next));
  }
}

static void a_long_outline_is_cut_between_characters(void) {
  fh_writer json = {0};
  fh_append(&json, FH("[\""));
  for (int at = 0; at < 24 << 10; at++) fh_append(&json, FH("é"));
  fh_append(&json, FH("\"]"));
  fh_text cut = fh_outline(fh_parse(fh_written(&json)));
  fh_text end = FH("é\n(the rest is left out)");
  check("the end", (fh_text){cut.ptr + cut.len - end.len, end.len}, end);
}

static void json_is_read_as_it_is_written(void) {
  static const char *const good[] = {
      "null", "true", "[]", "{}", "-0.0", "1e3", "[1,{\"a\":[\"b\"]}]", "\"\\u00e9\\ud83d\\ude00\\n\"", " [ 1 , 2 ] ",
  };
  for (size_t at = 0; at < sizeof good / sizeof *good; at++) {
    const fh_json *read = fh_parse(fh_of(good[at]));
    holds(good[at], read != NULL);
    fh_writer once = {0}, twice = {0};
    fh_put_json(&once, NULL, read);
    fh_put_json(&twice, NULL, fh_parse(fh_written(&once)));
    check(good[at], fh_written(&twice), fh_written(&once));
  }
  check("escapes", fh_as_text(fh_parse(FH("\"\\u00e9\\ud83d\\ude00\\\\\\/\\t\""))), FH("é😀\\/\t"));
  check("a zero byte", fh_as_text(fh_parse(FH("\"a\\u0000b\""))), FH("a\0b"));
  static const char *const bad[] = {
      "", "nul", "[1", "[1,]", "{\"a\"}", "{a:1}", "01", "1.", ".5", "+1", "1e", "\"", "\"\\", "\"\\x\"", "\"\\u12\"",
      "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "1 2", "[1]]", "-", "{\"a\":1,}",
  };
  for (size_t at = 0; at < sizeof bad / sizeof *bad; at++) holds(bad[at], fh_parse(fh_of(bad[at])) == NULL);
  fh_writer deep = {0};
  for (int level = 0; level < 200; level++) fh_append(&deep, FH("["));
  for (int level = 0; level < 200; level++) fh_append(&deep, FH("]"));
  holds("what is too deep is refused", fh_parse(fh_written(&deep)) == NULL);
}

static void numbers_are_whole_where_they_are(void) {
  holds("1.0", fh_as_integer(fh_parse(FH("1.0")), -1) == 1);
  holds("1e3", fh_as_unsigned(fh_parse(FH("1e3")), 0) == 1000);
  holds("1.5", fh_as_integer(fh_parse(FH("1.5")), -1) == -1);
  holds("2^64-1", fh_as_unsigned(fh_parse(FH("18446744073709551615")), 0) == UINT64_MAX);
  holds("2^64", fh_as_unsigned(fh_parse(FH("18446744073709551616")), 7) == 7);
  holds("-2^63", fh_as_integer(fh_parse(FH("-9223372036854775808")), 0) == INT64_MIN);
  holds("2^63", fh_as_integer(fh_parse(FH("9223372036854775808")), 7) == 7);
  holds("-1 is not unsigned", fh_as_unsigned(fh_parse(FH("-1")), 7) == 7);
  holds("a text is no number", fh_as_number(fh_parse(FH("\"1\"")), 7) == 7);
  holds("what is not there", fh_as_bool(fh_get(NULL, "a"), true) && fh_first(NULL) == NULL && fh_as_text(NULL).ptr == NULL);
  fh_writer out = {0};
  fh_begin_array(&out, NULL);
  fh_put_number(&out, NULL, 0.1);
  fh_put_number(&out, NULL, 1.0 / 3);
  fh_put_number(&out, NULL, 1e300);
  fh_put_integer(&out, NULL, INT64_MIN);
  fh_end_array(&out);
  check("numbers", fh_written(&out), FH("[0.1,0.3333333333333333,1e+300,-9223372036854775808]"));
}

static void what_json_cannot_hold_is_said(void) {
  static const fh_text broken[] = {
      {"\xff", 1}, {"\xc0\x80", 2}, {"\xed\xa0\x80", 3}, {"\xf4\x90\x80\x80", 4}, {"\xe2\x82", 2}, {"a\x80", 2},
  };
  for (size_t at = 0; at < sizeof broken / sizeof *broken; at++) {
    fh_writer out = {0};
    fh_put_text(&out, NULL, broken[at]);
    holds("what is not UTF-8 is refused", out.why && strstr(out.why, "not UTF-8"));
  }
  fh_writer out = {0};
  fh_put_number(&out, NULL, INFINITY);
  holds("infinity is refused", out.why && strstr(out.why, "infinity"));
  fh_writer fine = {0};
  fh_put_text(&fine, NULL, FH("\x7f\u07ff\u0800\uffff\U0010ffff"));
  holds("UTF-8 is not", fine.why == NULL);
}

static void a_search_lists_no_more_than_there_is(void) {
  // Set one after the other on one card: each counts from what is listed.
  static const struct {
    uint64_t set, total;
    bool truncated;
  } cases[] = {{3, 3, true}, {2, 2, false}, {9, 9, true}, {0, 2, false}};
  fh_card lines, paths;
  fh_matches_card(&lines, FH("t"));
  fh_add_match(&lines, FH("a"), 1, FH("x"));
  fh_add_match(&lines, FH("b"), 3, FH("y"));
  fh_paths_card(&paths, FH("t"));
  fh_add_path(&paths, FH("a"));
  fh_add_path(&paths, FH("b"));
  const fumehood_tool_types_match_results_t *matched = &lines.val.search.results.val.matches;
  const fumehood_tool_types_path_results_t *found = &paths.val.search.results.val.paths;
  holds("what is listed is all there is", matched->total == 2 && !matched->truncated && found->total == 2 && !found->truncated);
  for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
    fh_set_total(&lines, cases[at].set);
    fh_set_total(&paths, cases[at].set);
    holds("a total of lines", matched->total == cases[at].total && matched->truncated == cases[at].truncated);
    holds("a total of paths", found->total == cases[at].total && found->truncated == cases[at].truncated);
  }
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  an_outline_is_the_same_in_every_language(arguments[1]);
  a_long_outline_is_cut_between_characters();
  json_is_read_as_it_is_written();
  numbers_are_whole_where_they_are();
  what_json_cannot_hold_is_said();
  a_search_lists_no_more_than_there_is();
  printf(failed ? "%d checks of the library failed\n" : "the library holds\n", failed);
  return failed != 0;
}
