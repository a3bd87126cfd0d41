// Write a Fumehood tool in C.
//
// A tool is a name and up to three functions. `execute` does the work and writes one JSON value. `render` says what a model
// reads of that value, `present` makes the card that a person sees. The last two have defaults and run sealed: they get no
// `fh_call`, because there is nothing they could do with one.
//
// Each call has an instance of its own, which is gone after it. So nothing here is ever freed, and neither need a tool.
// Without memory the call ends.

#ifndef FUMEHOOD_TOOL_H
#define FUMEHOOD_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bindings/tool_component.h"

#if defined(__GNUC__)
#define FH_FORMAT(at, first) __attribute__((format(printf, at, first)))
#else
#define FH_FORMAT(at, first)
#endif

// --- Texts ---

// UTF-8 of so many bytes, without a byte at its end that says so. `FH_NONE` stands for no text at all.
typedef struct fh_text {
  const char *ptr;
  size_t len;
} fh_text;

// A literal as a text, to print one with `%.*s`, and none.
#define FH(literal) ((fh_text){(literal), sizeof(literal) - 1})
#define FH_ARG(text) (int)(text).len, (text).ptr
#define FH_NONE ((fh_text){NULL, 0})

// What ends with a zero byte, as a text.
fh_text fh_of(const char *string);

// What printf would write.
fh_text fh_format(const char *format, ...) FH_FORMAT(1, 2);

bool fh_equal(fh_text one, fh_text other);

// Where `part` begins in `text`, or `SIZE_MAX`.
size_t fh_find(fh_text text, fh_text part);

// Memory, zeroed. Ends the call where there is none.
void *fh_alloc(size_t size);

// --- Reading JSON ---

typedef enum fh_kind { FH_NULL, FH_BOOL, FH_NUMBER, FH_STRING, FH_ARRAY, FH_OBJECT } fh_kind;

// One JSON value. Every function below takes NULL for one that is not there.
typedef struct fh_json {
  fh_kind kind;
  bool boolean;
  // A string without its escapes, or a number as it was written.
  fh_text text;
  // Of a member of an object.
  fh_text name;
  // The first element or member, and the one after this.
  struct fh_json *first, *next;
  size_t length;
} fh_json;

// NULL: no JSON, or nested deeper than 128. A host takes 64.
const fh_json *fh_parse(fh_text json);

// The member of that name, or NULL.
const fh_json *fh_get(const fh_json *object, const char *name);

// for (const fh_json *item = fh_first(list); item; item = item->next)
const fh_json *fh_first(const fh_json *list);

// What it holds; where it is of another kind or not there, the second argument, or no text.
fh_text fh_as_text(const fh_json *json);
bool fh_as_bool(const fh_json *json, bool otherwise);
double fh_as_number(const fh_json *json, double otherwise);
// `1.0` and `1e3` are integers too. One that does not fit is not there.
int64_t fh_as_integer(const fh_json *json, int64_t otherwise);
uint64_t fh_as_unsigned(const fh_json *json, uint64_t otherwise);

// --- Writing JSON ---

// Zeroed it is empty. Each function takes the member's name in an object and NULL in an array or at the root.
typedef struct fh_writer {
  char *ptr;
  size_t len, capacity;
  bool comma;
  // The first thing that JSON cannot hold, as the rest of a sentence; then nothing more is written.
  const char *why;
} fh_writer;

void fh_begin_object(fh_writer *to, const char *name);
void fh_end_object(fh_writer *to);
void fh_begin_array(fh_writer *to, const char *name);
void fh_end_array(fh_writer *to);
void fh_put_null(fh_writer *to, const char *name);
void fh_put_bool(fh_writer *to, const char *name, bool value);
void fh_put_integer(fh_writer *to, const char *name, int64_t value);
void fh_put_unsigned(fh_writer *to, const char *name, uint64_t value);
void fh_put_number(fh_writer *to, const char *name, double value);
void fh_put_text(fh_writer *to, const char *name, fh_text value);
// A value that was read, as it was.
void fh_put_json(fh_writer *to, const char *name, const fh_json *value);
fh_text fh_written(const fh_writer *from);

// The same bytes as plain text, for what `render` says.
void fh_append(fh_writer *to, fh_text text);
void fh_appendf(fh_writer *to, const char *format, ...) FH_FORMAT(2, 3);

// --- Content ---

// What a model reads: any number of blocks.
typedef fumehood_tool_types_list_content_block_t fh_content;
typedef fumehood_tool_types_content_block_t fh_block;

// Each adds a block. The pointer holds until the next is added.
fh_block *fh_add_text(fh_content *to, fh_text text);
fh_block *fh_add_image(fh_content *to, fh_text bytes, fh_text mime_type);
fh_block *fh_add_audio(fh_content *to, fh_text bytes, fh_text mime_type);
fh_block *fh_add_link(fh_content *to, fh_text uri, fh_text name, fh_text description, fh_text mime_type);
fh_block *fh_add_resource_text(fh_content *to, fh_text uri, fh_text text, fh_text mime_type);
fh_block *fh_add_resource_blob(fh_content *to, fh_text uri, fh_text bytes, fh_text mime_type);

// From 0 (may be left out) to 1 (must be seen).
void fh_set_priority(fh_block *block, double priority);
// One more reader: `FUMEHOOD_TOOL_TYPES_ROLE_USER` or `…_ASSISTANT`. Without any: everyone.
void fh_add_reader(fh_block *block, fumehood_tool_types_role_t role);
// RFC 3339.
void fh_set_last_modified(fh_block *block, fh_text time);

// --- Cards ---

// What a person sees. One of the functions `fh_…_card` makes it, the others add to it. A title must say something, and is
// made one line.
typedef fumehood_tool_types_card_t fh_card;

typedef enum fh_tool_kind {
  FH_READ, FH_EDIT, FH_DELETE, FH_MOVE, FH_SEARCH, FH_EXECUTE, FH_FETCH, FH_OTHER
} fh_tool_kind;

// Anything. Without an input of its own it shows the arguments of the call. `line` is counted from 1; 0: none.
void fh_generic_card(fh_card *card, fh_text title, fh_tool_kind kind);
void fh_set_input(fh_card *card, const fh_writer *json);
fh_content *fh_body(fh_card *card);
void fh_add_location(fh_card *card, fh_text path, uint32_t line);

// A command. It runs until it has exited or was killed: that comes from the value, never from reading what it wrote.
void fh_terminal_card(fh_card *card, fh_text command, fh_text output);
void fh_set_description(fh_card *card, fh_text description, fh_text cwd);
void fh_set_exited(fh_card *card, int32_t code);
void fh_set_killed(fh_card *card, fh_text signal, bool timed_out);

// Files that were changed, one at least, each with all it holds now. `old` is `FH_NONE`: new, or not known.
void fh_diff_card(fh_card *card, fh_text title);
void fh_add_diff(fh_card *card, fh_text path, fh_text old, fh_text now);

// A window of a file. Numbers are counted from 1, rise, and are at most `total_lines`.
void fh_read_card(fh_card *card, fh_text title, fh_text path, uint64_t offset, uint64_t total_lines);
void fh_set_language(fh_card *card, fh_text language);
void fh_add_line(fh_card *card, uint64_t number, fh_text line);

// Matching lines, file after file; or paths. Until a total is set these are all there are; there are never fewer. It is set
// after the last of them is added.
void fh_matches_card(fh_card *card, fh_text title);
void fh_add_match(fh_card *card, fh_text path, uint64_t line_number, fh_text line);
void fh_paths_card(fh_card *card, fh_text title);
void fh_add_path(fh_card *card, fh_text path);
void fh_set_total(fh_card *card, uint64_t total);

// What a search of the web found, or a page that was fetched with the HTTP status from 100 to 599.
void fh_web_search_card(fh_card *card, fh_text title, fh_text answer);
void fh_add_source(fh_card *card, fh_text url, fh_text title, fh_text snippet, fh_text published);
void fh_fetch_card(fh_card *card, fh_text title, fh_text url, uint16_t status);
void fh_set_truncated(fh_card *card);

// --- Tools ---

// What `execute` has of its call, and the projectors have not.
typedef struct fh_call {
  fumehood_tool_types_tool_error_t error;
  // How often `fh_progress` was called.
  uint64_t reports;
} fh_call;

// Say how far the call has come. `total` 0 and `message` `FH_NONE`: not said. `done` must not fall.
void fh_progress(fh_call *call, uint64_t done, uint64_t total, fh_text message);

// One line for the operator, on standard error: `fh_log("INFO", "%zu lines", lines)`.
void fh_log(const char *level, const char *format, ...) FH_FORMAT(2, 3);

// How `execute` fails: `return fh_not_found(call, "there is no %s", name);`. Each is false, and its text reaches the model.
// The arguments fit the schema but make no sense.
bool fh_invalid_args(fh_call *call, const char *format, ...) FH_FORMAT(2, 3);
// What the arguments name does not exist.
bool fh_not_found(fh_call *call, const char *format, ...) FH_FORMAT(2, 3);
// Something outside the tool refused it.
bool fh_denied(fh_call *call, const char *format, ...) FH_FORMAT(2, 3);
// It may work later, unchanged.
bool fh_unavailable(fh_call *call, const char *format, ...) FH_FORMAT(2, 3);
// Everything else, with a code of the tool's own: `[A-Z0-9_]`, 1 to 64.
bool fh_failed(fh_call *call, const char *code, const char *format, ...) FH_FORMAT(3, 4);

typedef struct fh_tool {
  // `[A-Za-z0-9_-]`, 1 to 40, as in manifest.json.
  const char *name;
  // Do the work: write one value and return true, or return how it failed.
  bool (*execute)(fh_call *call, const fh_json *args, fh_writer *value);
  // What a model reads. NULL: the value as an indented outline, cut at 48 KiB.
  void (*render)(const fh_json *args, const fh_json *value, fh_content *content);
  // The card; `value` is NULL while the call is not finished. False or NULL: the card that every tool has, with the title,
  // the arguments and the content.
  bool (*present)(const fh_json *args, const fh_json *value, fh_card *card);
} fh_tool;

// The tools of the component, once in a program: `FH_COMPONENT(&grep, &read)`
extern const fh_tool *const fh_tools[];
#define FH_COMPONENT(...) const fh_tool *const fh_tools[] = {__VA_ARGS__, NULL};

// How a value reads where its tool does not say.
fh_text fh_outline(const fh_json *value);

// --- Tests: a tool called natively, through the same JSON as in a host, but without schemas and sandboxes ---

typedef struct fh_outcome {
  // Whether it succeeded; else `call.error` says how it failed.
  bool ok;
  fh_call call;
  // The JSON of the value, and what a model reads.
  fh_text value;
  fh_content content;
} fh_outcome;

// Execute and render. The arguments are JSON.
fh_outcome fh_test_call(const fh_tool *tool, const char *args);
// The card of a value, or with `FH_NONE` of a call that is not finished. False: it makes none.
bool fh_test_card(const fh_tool *tool, const char *args, fh_text value, fh_card *card);
// The text of content that is one text, else `FH_NONE`.
fh_text fh_test_text(const fh_content *content);
// The message of a failure.
fh_text fh_test_message(const fh_call *call);

#endif
