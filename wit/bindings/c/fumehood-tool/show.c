// Content blocks and cards, in the shape of the interface.

#include <stdlib.h>
#include <string.h>

#include "inside.h"

tool_component_string_t fh_copy(fh_text text) {
  // An empty one is not given back, so it needs no memory.
  if (text.len == 0) return (tool_component_string_t){NULL, 0};
  uint8_t *copy = fh_alloc(text.len);
  memcpy(copy, text.ptr, text.len);
  return (tool_component_string_t){copy, text.len};
}

static tool_component_option_string_t maybe(fh_text text) {
  return (tool_component_option_string_t){text.ptr != NULL, fh_copy(text)};
}

// A list of the interface with one more element, zeroed, at its end. It has room for the next power of two.
static void *grown(void *list, size_t *length, size_t size) {
  size_t had = (*length)++;
  if ((had & (had - 1)) == 0) {
    char *more = fh_alloc((had ? had * 2 : 1) * size);
    if (had) memcpy(more, list, had * size);
    free(list);
    list = more;
  }
  return list;
}

#define ADD(list) (*((list)->ptr = grown((list)->ptr, &(list)->len, sizeof *(list)->ptr), &(list)->ptr[(list)->len - 1]))

// --- Content ---

static fh_block *add(fh_content *to, uint8_t tag) {
  fh_block *block = &ADD(to);
  block->tag = tag;
  return block;
}

fh_block *fh_add_text(fh_content *to, fh_text text) {
  fh_block *block = add(to, FUMEHOOD_TOOL_TYPES_CONTENT_BLOCK_TEXT);
  block->val.text.text = fh_copy(text);
  return block;
}

static fh_block *media(fh_content *to, uint8_t tag, fh_text bytes, fh_text mime_type) {
  fh_block *block = add(to, tag);
  tool_component_string_t copy = fh_copy(bytes);
  block->val.image.data = (tool_component_list_u8_t){copy.ptr, copy.len};
  block->val.image.mime_type = fh_copy(mime_type);
  return block;
}

fh_block *fh_add_image(fh_content *to, fh_text bytes, fh_text mime_type) {
  return media(to, FUMEHOOD_TOOL_TYPES_CONTENT_BLOCK_IMAGE, bytes, mime_type);
}

fh_block *fh_add_audio(fh_content *to, fh_text bytes, fh_text mime_type) {
  return media(to, FUMEHOOD_TOOL_TYPES_CONTENT_BLOCK_AUDIO, bytes, mime_type);
}

fh_block *fh_add_link(fh_content *to, fh_text uri, fh_text name, fh_text description, fh_text mime_type) {
  fh_block *block = add(to, FUMEHOOD_TOOL_TYPES_CONTENT_BLOCK_RESOURCE_LINK);
  fumehood_tool_types_resource_link_t *link = &block->val.resource_link;
  link->uri = fh_copy(uri);
  link->name = fh_copy(name);
  link->description = maybe(description);
  link->mime_type = maybe(mime_type);
  return block;
}

static fumehood_tool_types_embedded_resource_t *resource(fh_block *block, fh_text uri, fh_text mime_type) {
  block->val.resource.uri = fh_copy(uri);
  block->val.resource.mime_type = maybe(mime_type);
  return &block->val.resource;
}

fh_block *fh_add_resource_text(fh_content *to, fh_text uri, fh_text text, fh_text mime_type) {
  fh_block *block = add(to, FUMEHOOD_TOOL_TYPES_CONTENT_BLOCK_RESOURCE);
  fumehood_tool_types_embedded_resource_t *held = resource(block, uri, mime_type);
  held->body.tag = FUMEHOOD_TOOL_TYPES_RESOURCE_BODY_TEXT;
  held->body.val.text = fh_copy(text);
  return block;
}

fh_block *fh_add_resource_blob(fh_content *to, fh_text uri, fh_text bytes, fh_text mime_type) {
  fh_block *block = add(to, FUMEHOOD_TOOL_TYPES_CONTENT_BLOCK_RESOURCE);
  fumehood_tool_types_embedded_resource_t *held = resource(block, uri, mime_type);
  tool_component_string_t copy = fh_copy(bytes);
  held->body.tag = FUMEHOOD_TOOL_TYPES_RESOURCE_BODY_BLOB;
  held->body.val.blob = (tool_component_list_u8_t){copy.ptr, copy.len};
  return block;
}

static fumehood_tool_types_annotations_t *annotations(fh_block *block) {
  fumehood_tool_types_option_annotations_t *held = NULL;
  switch (block->tag) {
    case FUMEHOOD_TOOL_TYPES_CONTENT_BLOCK_TEXT: held = &block->val.text.annotations; break;
    case FUMEHOOD_TOOL_TYPES_CONTENT_BLOCK_IMAGE: held = &block->val.image.annotations; break;
    case FUMEHOOD_TOOL_TYPES_CONTENT_BLOCK_AUDIO: held = &block->val.audio.annotations; break;
    case FUMEHOOD_TOOL_TYPES_CONTENT_BLOCK_RESOURCE_LINK: held = &block->val.resource_link.annotations; break;
    default: held = &block->val.resource.annotations; break;
  }
  held->is_some = true;
  return &held->val;
}

void fh_set_priority(fh_block *block, double priority) {
  annotations(block)->priority = (tool_component_option_f64_t){true, priority};
}

void fh_add_reader(fh_block *block, fumehood_tool_types_role_t role) { ADD(&annotations(block)->audience) = role; }

void fh_set_last_modified(fh_block *block, fh_text time) { annotations(block)->last_modified = maybe(time); }

// --- Cards ---

// A title is one line, and often holds what somebody wrote.
static tool_component_string_t one_line(fh_text title) {
  tool_component_string_t copy = fh_copy(title);
  for (size_t at = 0; at < copy.len; at++) {
    if (copy.ptr[at] == '\n' || copy.ptr[at] == '\r') copy.ptr[at] = ' ';
  }
  return copy;
}

static void make(fh_card *card, uint8_t tag) {
  memset(card, 0, sizeof *card);
  card->tag = tag;
}

// A card that is not of this case is a mistake of the tool: the call ends here, with its name, and not in a wild write.
static void expect(const fh_card *card, uint8_t tag, const char *what) {
  if (card->tag == tag) return;
  fh_log("ERROR", "%s is for another kind of card", what);
  abort();
}

#define EXPECT(card, tag) expect(card, FUMEHOOD_TOOL_TYPES_CARD_##tag, __func__)

void fh_generic_card(fh_card *card, fh_text title, fh_tool_kind kind) {
  make(card, FUMEHOOD_TOOL_TYPES_CARD_GENERIC);
  card->val.generic.title = one_line(title);
  card->val.generic.kind = (fumehood_tool_types_option_tool_kind_t){true, (fumehood_tool_types_tool_kind_t)kind};
}

void fh_set_input(fh_card *card, const fh_writer *json) {
  EXPECT(card, GENERIC);
  // What has no JSON form leaves the arguments of the call.
  if (json->why == NULL) card->val.generic.input = (fumehood_tool_types_option_json_t){true, fh_copy(fh_written(json))};
}

fh_content *fh_body(fh_card *card) {
  EXPECT(card, GENERIC);
  return &card->val.generic.body;
}

void fh_add_location(fh_card *card, fh_text path, uint32_t line) {
  EXPECT(card, GENERIC);
  ADD(&card->val.generic.locations) = (fumehood_tool_types_location_t){fh_copy(path), {line != 0, line}};
}

void fh_terminal_card(fh_card *card, fh_text command, fh_text output) {
  make(card, FUMEHOOD_TOOL_TYPES_CARD_TERMINAL);
  card->val.terminal.title = one_line(command);
  card->val.terminal.output = fh_copy(output);
}

void fh_set_description(fh_card *card, fh_text description, fh_text cwd) {
  EXPECT(card, TERMINAL);
  card->val.terminal.description = maybe(description);
  card->val.terminal.cwd = maybe(cwd);
}

void fh_set_exited(fh_card *card, int32_t code) {
  EXPECT(card, TERMINAL);
  card->val.terminal.exit.is_some = true;
  card->val.terminal.exit.val.tag = FUMEHOOD_TOOL_TYPES_EXIT_STATUS_CODE;
  card->val.terminal.exit.val.val.code = code;
}

void fh_set_killed(fh_card *card, fh_text signal, bool timed_out) {
  EXPECT(card, TERMINAL);
  card->val.terminal.exit.is_some = true;
  card->val.terminal.exit.val.tag = FUMEHOOD_TOOL_TYPES_EXIT_STATUS_SIGNAL;
  card->val.terminal.exit.val.val.signal = fh_copy(signal);
  card->val.terminal.timed_out = timed_out;
}

void fh_diff_card(fh_card *card, fh_text title) {
  make(card, FUMEHOOD_TOOL_TYPES_CARD_DIFF);
  card->val.diff.title = one_line(title);
}

void fh_add_diff(fh_card *card, fh_text path, fh_text old, fh_text now) {
  EXPECT(card, DIFF);
  ADD(&card->val.diff.diffs) = (fumehood_tool_types_file_diff_t){fh_copy(path), maybe(old), fh_copy(now)};
}

void fh_read_card(fh_card *card, fh_text title, fh_text path, uint64_t offset, uint64_t total_lines) {
  make(card, FUMEHOOD_TOOL_TYPES_CARD_READ);
  fumehood_tool_types_read_card_t *read = &card->val.read;
  read->title = one_line(title);
  read->path = fh_copy(path);
  read->offset = offset;
  read->total_lines = total_lines;
}

void fh_set_language(fh_card *card, fh_text language) {
  EXPECT(card, READ);
  card->val.read.language = maybe(language);
}

void fh_add_line(fh_card *card, uint64_t number, fh_text line) {
  EXPECT(card, READ);
  ADD(&card->val.read.lines) = (fumehood_tool_types_numbered_line_t){number, fh_copy(line)};
}

static fumehood_tool_types_search_results_t *search(fh_card *card, fh_text title, uint8_t tag) {
  make(card, FUMEHOOD_TOOL_TYPES_CARD_SEARCH);
  card->val.search.title = one_line(title);
  card->val.search.results.tag = tag;
  return &card->val.search.results;
}

static void expect_results(const fh_card *card, uint8_t tag, const char *what) {
  expect(card, FUMEHOOD_TOOL_TYPES_CARD_SEARCH, what);
  if (card->val.search.results.tag != tag) expect(card, FUMEHOOD_TOOL_TYPES_CARD_WEB, what);
}

void fh_matches_card(fh_card *card, fh_text title) { search(card, title, FUMEHOOD_TOOL_TYPES_SEARCH_RESULTS_MATCHES); }

void fh_add_match(fh_card *card, fh_text path, uint64_t line_number, fh_text line) {
  expect_results(card, FUMEHOOD_TOOL_TYPES_SEARCH_RESULTS_MATCHES, __func__);
  fumehood_tool_types_match_results_t *found = &card->val.search.results.val.matches;
  fumehood_tool_types_file_matches_t *file = found->files.len ? &found->files.ptr[found->files.len - 1] : NULL;
  if (file == NULL || !fh_equal(path, (fh_text){(const char *)file->path.ptr, file->path.len})) {
    file = &ADD(&found->files);
    file->path = fh_copy(path);
  }
  ADD(&file->matches) = (fumehood_tool_types_line_match_t){line_number, fh_copy(line)};
  found->total++;
}

void fh_paths_card(fh_card *card, fh_text title) { search(card, title, FUMEHOOD_TOOL_TYPES_SEARCH_RESULTS_PATHS); }

void fh_add_path(fh_card *card, fh_text path) {
  expect_results(card, FUMEHOOD_TOOL_TYPES_SEARCH_RESULTS_PATHS, __func__);
  ADD(&card->val.search.results.val.paths.paths) = fh_copy(path);
  card->val.search.results.val.paths.total++;
}

static uint64_t listed(const fumehood_tool_types_search_results_t *results) {
  if (results->tag == FUMEHOOD_TOOL_TYPES_SEARCH_RESULTS_PATHS) return results->val.paths.paths.len;
  const fumehood_tool_types_match_results_t *found = &results->val.matches;
  uint64_t lines = 0;
  for (size_t at = 0; at < found->files.len; at++) lines += found->files.ptr[at].matches.len;
  return lines;
}

void fh_set_total(fh_card *card, uint64_t total) {
  EXPECT(card, SEARCH);
  fumehood_tool_types_search_results_t *results = &card->val.search.results;
  bool matches = results->tag == FUMEHOOD_TOOL_TYPES_SEARCH_RESULTS_MATCHES;
  uint64_t least = listed(results);
  *(matches ? &results->val.matches.truncated : &results->val.paths.truncated) = total > least;
  *(matches ? &results->val.matches.total : &results->val.paths.total) = total > least ? total : least;
}

void fh_web_search_card(fh_card *card, fh_text title, fh_text answer) {
  make(card, FUMEHOOD_TOOL_TYPES_CARD_WEB);
  card->val.web.title = one_line(title);
  card->val.web.results.tag = FUMEHOOD_TOOL_TYPES_WEB_RESULTS_SEARCH;
  card->val.web.results.val.search.answer = maybe(answer);
}

void fh_add_source(fh_card *card, fh_text url, fh_text title, fh_text snippet, fh_text published) {
  EXPECT(card, WEB);
  if (card->val.web.results.tag != FUMEHOOD_TOOL_TYPES_WEB_RESULTS_SEARCH) EXPECT(card, SEARCH);
  ADD(&card->val.web.results.val.search.sources) =
      (fumehood_tool_types_web_source_t){fh_copy(url), maybe(title), maybe(snippet), maybe(published)};
}

void fh_fetch_card(fh_card *card, fh_text title, fh_text url, uint16_t status) {
  make(card, FUMEHOOD_TOOL_TYPES_CARD_WEB);
  card->val.web.title = one_line(title);
  card->val.web.results.tag = FUMEHOOD_TOOL_TYPES_WEB_RESULTS_FETCH;
  card->val.web.results.val.fetch = (fumehood_tool_types_web_fetch_t){fh_copy(url), status, false};
}

void fh_set_truncated(fh_card *card) {
  EXPECT(card, WEB);
  fumehood_tool_types_web_results_t *results = &card->val.web.results;
  if (results->tag == FUMEHOOD_TOOL_TYPES_WEB_RESULTS_SEARCH) results->val.search.truncated = true;
  else results->val.fetch.truncated = true;
}
