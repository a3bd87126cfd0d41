// Draws the six cards and the content blocks for whichever page holds this file: host/src/mcp/app, host/src/cli/replay.
//
// Whatever a result holds is text here, never markup, style or script; nothing is requested, and no tool is known by name. A
// page's own script follows this one, in the same module; it sets `links` and `topHeading`, and calls `afresh` before a card.

// ---- Limits. A host may hand over megabytes; a person reads a screen at a time.

const FIRST_LINES = 40; // About one screen. More is a button away.
const FIRST_SHORT = 10; // Lists that stand beside other lists: files, the lines found in one, sources, an input's lines.
const SLACK = 5; // A button that would bring fewer than this is not worth its place.
const MOST_ROWS = 5000; // Rows drawn for one card in all: each is up to five nodes, and 25,000 lay out in under a second.
const MOST_LINE = 2000; // UTF-16 units of one line: eight screens on a phone. Minified files have lines of megabytes.
const MOST_TITLE = 400; // A title is one line; four hundred is five of them on a phone.
const MOST_MARKS = 2000; // Written-out characters with an element of their own; past these they are plain text.
const MOST_JSON_ROWS = 2000; // Lines of an input, of which MOST_ROWS would leave nothing for the output.
const MOST_JSON_DEPTH = 64; // What the host's JSON gate lets through.
const MOST_TEXTS = 200; // Texts of a failure, which has one.
const MOST_MEDIA = 20; // Pictures and sounds in one card: each may take its limit in memory.
const MOST_MEDIA_BASE64 = 8 * 1024 * 1024; // 6 MiB of picture: above the 5 MB that model interfaces take.
const MOST_URL = 2048; // What every browser opens. A longer one is shown, not linked.
const MOST_PLACE = 300; // Of an address as it is shown: eight lines on a phone. The host's name stands beside it.
const DIFF_LINES = 20000; // Lines compared, both sides together, after what is equal at either end is set aside.
const DIFF_EDITS = 1000; // Time grows with lines times edits: 20,000 by 1,000 is 0.1 s. Past it nobody reads line by line.
const DIFF_CONTEXT = 3; // Unchanged lines around a change, as every diff shows.

// ---- Elements. Strings given to `el` are this file's own words; what a result holds goes through `shown`.

const ICONS = new Map(Object.entries({
  terminal: "M2.5 4l4 4-4 4M8.5 12.5h5", diff: "M8 2.5v7M4.5 6h7M4.5 13.5h7", search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3L14 14",
  read: "M3.5 1.5h6L12.5 5v9.5h-9zM9.5 1.5V5h3M5.5 8h5M5.5 11h5", edit: "M10.8 2.2l3 3L6 13l-3.6.6L3 10z",
  web: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM1.5 8h13M8 1.5c2.6 2.6 2.6 10.4 0 13M8 1.5c-2.6 2.6-2.6 10.4 0 13",
  delete: "M2.5 4h11M6 4V2h4v2M4 4l.7 10h6.6L12 4M6.7 6.5v5M9.3 6.5v5", move: "M2.5 8h11M9.5 4l4 4-4 4", execute: "M4.5 2.8l8 5.2-8 5.2z",
  fetch: "M8 2v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11", other: "M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5L8 8l5.5-3M8 8v6", waiting: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM8 4.5V8l2.5 1.5",
  alert: "M8 2l6.5 11.5h-13zM8 6.5v3M8 11.6v.1", good: "M3 8.5l3.2 3L13 4.5", bad: "M4 4l8 8M12 4l-8 8", warn: "M8 3v6M8 12.4v.1",
}));

function el(tag, name, ...children) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS.get(name) ?? ICONS.get("other"));
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return svg;
}

// What is left of the limits for the card that is being drawn. Each card has its own, also when more of it is asked for later.
let budget = null;
function afresh() { budget = { rows: MOST_ROWS, media: MOST_MEDIA, marks: MOST_MARKS }; }
afresh();

function within(own, draw) {
  const other = budget;
  budget = own;
  try { return draw(); } finally { budget = other; }
}

// The level of a card's heading, where the page has others above it.
let topHeading = 1;
const heading = (below, name, ...children) => el(`h${topHeading + below}`, name, ...children);

let numbers = new Intl.NumberFormat("en");
const number = (value) => numbers.format(value);
const many = (count, one, several = `${one}s`) => `${number(count)} ${count === 1 ? one : several}`;

// ---- What a result holds, made visible.

// Escape sequences, control and format characters, lone surrogates, what fonts draw as nothing, and marks piled higher
// than four, which would reach over other lines. A superset of what the host refuses in names.
const HIDDEN = /\x1b(?:\[[0-?]*[ -/]*[@-~]?|\][ -~]{0,200}(?:\x07|\x1b\\)?)?|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?<=\p{M}{4})\p{M}+/gu;
const PICTURE = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?$/u;

// Emoji are made with U+FE0F and U+200D: those stay where they join pictures, and hide nothing there.
function harmless(text, found, at) {
  if (found === "\n" || found === "\t") return true;
  const before = text.slice(Math.max(0, at - 4), at);
  if (found === "\ufe0f") return /[\p{So}\p{Sm}\p{Po}\p{Extended_Pictographic}0-9#*]$/u.test(before);
  return found === "\u200d" && PICTURE.test(before) && /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3));
}

function spelled(found) {
  if (found[0] === "\x1b") return found.length > 1 ? `⟦ESC${found.slice(1).replace(/[\x07\x1b].*$/s, "")}⟧` : "⟦ESC⟧";
  if (/^\p{M}/u.test(found) && !/^\p{DI}/u.test(found)) return `⟦${many([...found].length, "more mark")}⟧`;
  return `⟦U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`;
}

function mark(text) {
  budget.marks -= 1;
  return budget.marks < 0 ? text : el("span", "mark", text);
}

// One text as nodes, cut at so many UTF-16 units.
function shown(text, most = MOST_LINE) {
  let kept = text;
  if (text.length > most) {
    kept = text.slice(0, most);
    if (/[\ud800-\udbff]$/.test(kept)) kept = kept.slice(0, -1);
  }
  const nodes = document.createDocumentFragment();
  let from = 0;
  for (const match of kept.matchAll(HIDDEN)) {
    if (harmless(kept, match[0], match.index)) continue;
    if (match.index > from) nodes.append(kept.slice(from, match.index));
    nodes.append(mark(spelled(match[0])));
    from = match.index + match[0].length;
  }
  if (from < kept.length) nodes.append(kept.slice(from));
  if (kept.length < text.length) nodes.append(" ", mark(`⟦${many(text.length - kept.length, "more character")}⟧`));
  return nodes;
}

// Lines without their endings; what follows the last ending is a line only when it holds something.
function linesOf(text) {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
const bare = (line) => (line.endsWith("\r") ? line.slice(0, -1) : line);

// ---- Long content: the first rows, a button for the rest, and an end to what is drawn at all.

// `draw(index)` makes one row. What it returns is the box and, where there is more, the button and the notice below it.
function rows(box, count, draw, first, one, several = `${one}s`) {
  const short = count <= first + SLACK ? count : first;
  const own = budget;
  const fill = (from, to) => within(own, () => {
    const end = Math.min(to, from + own.rows);
    own.rows -= end - from;
    const nodes = document.createDocumentFragment();
    for (let index = from; index < end; index += 1) nodes.append(draw(index));
    box.append(nodes);
    return end;
  });
  const drawn = fill(0, short);
  const rest = el("div", "note flush");
  const tell = (end) => {
    rest.hidden = end === count;
    rest.textContent = rest.hidden ? "" : `${many(count - end, `more ${one}`, `more ${several}`)}: too long to be drawn here.`;
  };
  if (short === count) {
    tell(drawn);
    return [box, rest];
  }
  const button = el("button", "more");
  button.type = "button";
  const label = (open) => {
    button.textContent = open ? `Show the first ${many(short, one, several)}` : `Show all ${many(count, one, several)}`;
    button.setAttribute("aria-expanded", String(open));
  };
  tell(count);
  label(false);
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    if (open) {
      try {
        tell(fill(box.childElementCount, count));
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        rest.hidden = false;
        rest.textContent = `The rest cannot be drawn: ${error.message}.`;
      }
    } else {
      while (box.childElementCount > drawn) {
        box.lastElementChild.remove();
        own.rows += 1;
      }
      tell(count);
    }
    label(open);
  });
  return [box, rest, button];
}

const line = (text) => el("div", "", text === "" ? "\u00a0" : shown(text));
function codeBlock(text, first = FIRST_LINES) {
  const lines = linesOf(text);
  return rows(el("div", "code"), lines.length, (index) => line(bare(lines[index])), first, "line");
}
function proseBlock(text, name = "prose") {
  const lines = linesOf(text);
  return rows(el("div", name), lines.length, (index) => line(bare(lines[index])), FIRST_LINES, "line");
}

// A number whose own spelling JavaScript would lose: 9007199254740993, 1.0.
class Exact { constructor(source) { this.source = source; } }

// JSON.parse that keeps such numbers, where the browser tells how they were written.
const parsed = (text) => JSON.parse(text, (key, value, context) =>
  (typeof value === "number" && context?.source !== undefined && context.source !== String(value) ? new Exact(context.source) : value));

// JSON as lines, with bounds that JSON.stringify does not have. Keys are data, `__proto__` too.
function jsonLines(value) {
  const lines = [];
  const full = () => lines.length >= MOST_JSON_ROWS;
  const walk = (value, lead, tail, depth) => {
    if (full()) return;
    const indent = "  ".repeat(depth);
    if (typeof value !== "object" || value === null || value instanceof Exact) {
      const text = typeof value === "string" ? JSON.stringify(value) : value instanceof Exact ? value.source : Object.is(value, -0) ? "-0" : String(value);
      lines.push(indent + lead + text + tail);
      return;
    }
    const list = Array.isArray(value);
    const keys = list ? value : Object.keys(value);
    const [open, close] = list ? "[]" : "{}";
    if (keys.length === 0 || depth >= MOST_JSON_DEPTH) {
      lines.push(indent + lead + open + (keys.length ? " … " : "") + close + tail);
      return;
    }
    lines.push(indent + lead + open);
    for (let index = 0; index < keys.length && !full(); index += 1) {
      const comma = index + 1 < keys.length ? "," : "";
      if (list) walk(value[index], "", comma, depth + 1);
      else walk(value[keys[index]], `${JSON.stringify(keys[index])}: `, comma, depth + 1);
    }
    if (!full()) lines.push(indent + close + tail);
  };
  walk(value, "", "", 0);
  if (full()) lines.push("…");
  return lines;
}
function jsonBlock(value) {
  const lines = jsonLines(value);
  return rows(el("div", "code"), lines.length, (index) => line(lines[index]), FIRST_SHORT, "line");
}

// ---- Fields. A card that is not of its form is said to be so, with the place.

class Malformed extends Error {}
class UnknownCard extends Error { constructor(kind) { super("its kind is not known here"); this.kind = kind; } }
const bad = (at, what) => { throw new Malformed(`${at} is not ${what}`); };
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Exact);
const object = (value, at) => (isObject(value) ? value : bad(at, "an object"));
const text = (value, at) => (typeof value === "string" ? value : bad(at, "a text"));
const flag = (value, at) => (typeof value === "boolean" ? value : bad(at, "true or false"));
const list = (value, at) => (Array.isArray(value) ? value : bad(at, "a list"));
const count = (value, at) => (Number.isInteger(value) && value >= 0 ? value : bad(at, "a count"));
const maybe = (read, value, at) => (value === undefined || value === null ? undefined : read(value, at));
// The one case of a variant: {"code": 1}.
function variant(value, at, cases) {
  const names = Object.keys(object(value, at));
  return names.length === 1 && cases.includes(names[0]) ? names[0] : bad(at, `one of ${cases.join(", ")}`);
}

// ---- Links: only http and https, only by a person's click. How one is followed is the page's to say.

// `links(url, label)` makes the element; null where nothing can be opened.
let links = null;

function webAddress(value) {
  if (typeof value !== "string" || value.length > MOST_URL) return null;
  const url = URL.parse ? URL.parse(value) : (() => { try { return new URL(value); } catch { return null; } })();
  // A user name before the host is how an address lies about where it leads.
  return url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" ? url : null;
}

// What is opened is what is shown: the address as a browser writes it.
function linked(address, label) {
  const url = webAddress(address);
  if (!url || !links || url.href.length > MOST_URL) return el("span", "", label ?? shown(url ? url.href : address, MOST_PLACE));
  const node = links(url.href, label ?? shown(url.href, MOST_PLACE));
  node.classList.add("link");
  node.title = url.href;
  return node;
}

// ---- Content blocks.

// Types that are pictures or sounds and nothing else: an SVG is a document. Checked against the bytes too.
const MEDIA = new Map(Object.entries({
  "image/png": ["img", /^\x89PNG\r\n\x1a\n/], "image/jpeg": ["img", /^\xff\xd8\xff/], "image/gif": ["img", /^GIF8[79]a/],
  "image/webp": ["img", /^RIFF[^]{4}WEBP/], "audio/wav": ["audio", /^RIFF[^]{4}WAVE/], "audio/x-wav": ["audio", /^RIFF[^]{4}WAVE/],
  "audio/mpeg": ["audio", /^(?:ID3|\xff[\xe0-\xff])/], "audio/mp3": ["audio", /^(?:ID3|\xff[\xe0-\xff])/], "audio/ogg": ["audio", /^OggS/],
}));

function bytes(size) {
  if (size < 1000) return many(size, "byte");
  const unit = size < 1e6 ? "kB" : "MB";
  return `${number(Math.round(size / (unit === "kB" ? 100 : 1e5)) / 10)} ${unit}`;
}

function media(block, at) {
  const data = text(block.data, `${at}.data`);
  const type = text(block.mimeType, `${at}.mimeType`);
  const [tag, magic] = MEDIA.get(type) ?? [];
  const about = () => [shown(type, 100), `, ${bytes(Math.floor(data.length * 3 / 4))}`];
  const refuse = (why) => el("div", "note", block.type === "audio" ? "Sound " : "Picture ", about(), `: ${why}.`);
  if (tag !== (block.type === "audio" ? "audio" : "img")) return refuse("not of a type that is shown here");
  if (data.length > MOST_MEDIA_BASE64) return refuse("too large to be shown here");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data) || data.length % 4 !== 0) return refuse("its data is damaged");
  if (!magic.test(atob(data.slice(0, 24)))) return refuse("its bytes are not of this type");
  if (budget.media === 0) return refuse("one too many to be shown here");
  budget.media -= 1;
  const node = el(tag);
  const figure = el("div", "", node, el("div", "note", about()));
  node.addEventListener("error", () => figure.replaceChildren(refuse("it cannot be read")));
  if (tag === "audio") {
    node.controls = true;
    node.preload = "metadata";
    node.setAttribute("aria-label", "Sound from the tool");
  } else {
    node.alt = "Picture from the tool";
    node.decoding = "async";
  }
  node.src = `data:${type};base64,${data}`;
  return figure;
}

function contentBlock(block, at) {
  object(block, at);
  const box = el("div", "block");
  const audience = maybe(object, block.annotations, `${at}.annotations`)?.audience;
  if (Array.isArray(audience) && audience.length === 1 && audience[0] === "assistant") box.append(el("div", "note", "Meant for the model:"));
  switch (block.type) {
    case "text":
      box.append(...proseBlock(text(block.text, `${at}.text`)));
      break;
    case "image":
    case "audio":
      box.append(media(block, at));
      break;
    case "resource_link": {
      const uri = text(block.uri, `${at}.uri`);
      box.append(el("div", "", shown(maybe(text, block.title, `${at}.title`) ?? text(block.name, `${at}.name`), MOST_TITLE)));
      box.append(el("div", "list", el("span", "place", linked(uri))));
      const about = maybe(text, block.description, `${at}.description`);
      if (about) box.append(...proseBlock(about, "prose note"));
      const size = maybe(count, block.size, `${at}.size`);
      const type = maybe(text, block.mimeType, `${at}.mimeType`);
      if (type || size !== undefined) box.append(el("div", "note", type ? shown(type, 100) : "", type && size !== undefined ? ", " : "", size !== undefined ? bytes(size) : ""));
      break;
    }
    case "resource": {
      const resource = object(block.resource, `${at}.resource`);
      const type = maybe(text, resource.mimeType, `${at}.resource.mimeType`);
      box.append(el("div", "note", linked(text(resource.uri, `${at}.resource.uri`)), type ? [" · ", shown(type, 100)] : ""));
      if (typeof resource.text === "string") box.append(...codeBlock(resource.text));
      else if (type && MEDIA.has(type)) box.append(media({ type: type.split("/")[0], mimeType: type, data: resource.blob }, `${at}.resource`));
      else box.append(el("div", "note", `${bytes(Math.floor(text(resource.blob, `${at}.resource.blob`).length * 3 / 4))}, not shown.`));
      break;
    }
    default:
      box.append(el("div", "note", "A content block of a kind that is not known here."));
  }
  return box;
}

function contentBlocks(blocks, at) {
  list(blocks, at);
  return blocks.length ? rows(el("div", "blocks"), blocks.length, (index) => contentBlock(blocks[index], `${at}[${index}]`), FIRST_SHORT, "block") : [];
}

// ---- The frame. Badges stand in it by themselves and are made of fields: no text of a result reaches their place.

function badge(tone, ...words) {
  return el("span", `badge ${tone}`, ["good", "bad", "warn"].includes(tone) ? icon(tone) : null, ...words);
}

// What is in a card: the head, then the body; the headline once more, for the card's label; and the frame in words.
function framed({ symbol, label, title, command = false, about, badges = [], body, busy = false }) {
  const headline = heading(0, command ? "headline command" : "headline", title);
  headline.dir = command ? "ltr" : "auto";
  const kind = el("span", "kind", busy ? el("span", "pulse") : icon(symbol), label);
  const head = el("header", "", el("div", "top", kind, ...badges), headline, about ? el("p", "about", about) : null);
  return { nodes: [head, ...body], headline, busy, words: [label, ...badges.map((one) => one.textContent)].join(", ") };
}

const section = (title, ...nodes) => el("section", "", title ? heading(1, "subhead", title) : null, ...nodes);
const flush = (...nodes) => el("section", "flush", ...nodes);
const note = (...words) => section(null, el("div", "note", ...words));
const cut = (words) => badge("warn", words);

// ---- The six cards.

const KINDS = new Map(Object.entries({ read: "Read", edit: "Edit", delete: "Delete", move: "Move", search: "Search", execute: "Run", fetch: "Fetch", other: "Tool" }));

function generic(card) {
  const kind = maybe(text, card.kind, "kind") ?? "other";
  const body = [];
  if (card.input !== undefined) body.push(section("Input", ...jsonBlock(card.input)));
  const blocks = contentBlocks(card.body, "body");
  if (blocks.length > 0) body.push(section(body.length ? "Output" : null, ...blocks));
  const places = maybe(list, card.locations, "locations") ?? [];
  if (places.length > 0) {
    const draw = (index) => {
      const place = object(places[index], `locations[${index}]`);
      const at = maybe(count, place.line, `locations[${index}].line`);
      return el("div", "place", shown(text(place.path, `locations[${index}].path`)), at === undefined ? "" : el("span", "note", ` line ${at}`));
    };
    body.push(section("Files", ...rows(el("div", "list"), places.length, draw, FIRST_SHORT, "file")));
  }
  if (body.length === 0) body.push(note("No output."));
  return { symbol: KINDS.has(kind) ? kind : "other", label: KINDS.get(kind) ?? "Tool", body };
}

// SIGKILL, SIGRTMIN+1. Any other text could say more than a name, so it does not stand in the frame.
const SIGNAL = /^SIG[A-Z0-9]{1,12}(?:[+-][0-9]{1,2})?$/;

function terminal(card) {
  let colours = 0;
  const output = text(card.output, "output").replace(/\x1b\[[0-9;:]*m/g, () => { colours += 1; return ""; });
  const badges = [];
  const notes = [];
  const exit = maybe(object, card.exit, "exit");
  if (flag(card.timedOut, "timedOut")) badges.push(badge("warn", "timed out"));
  if (exit !== undefined) {
    const which = variant(exit, "exit", ["code", "signal"]);
    if (which === "signal") {
      const name = text(exit.signal, "exit.signal");
      badges.push(badge("bad", SIGNAL.test(name) ? `ended by ${name}` : "ended by a signal"));
      if (!SIGNAL.test(name)) notes.push(el("div", "note", "The signal's name: ", el("bdi", "", shown(name, MOST_TITLE))));
    }
    else if (!Number.isInteger(exit.code)) bad("exit.code", "an integer");
    else badges.push(exit.code === 0 ? badge("good", "exit 0") : badge("bad", `exit ${exit.code}`));
  } else if (badges.length === 0) badges.push(badge("", "no exit status"));
  const cwd = maybe(text, card.cwd, "cwd");
  const about = maybe(text, card.description, "description");
  if (cwd !== undefined) notes.push(el("div", "note", "in ", el("bdi", "", shown(cwd))));
  if (colours > 0) notes.push(el("div", "note", `${many(colours, "colour code")} left out.`));
  const body = [output === "" ? note("No output.") : flush(...codeBlock(output))];
  if (notes.length > 0) body.push(section(null, ...notes));
  return { symbol: "terminal", label: "Command", command: true, about: about === undefined ? null : shown(about, MOST_TITLE), badges, body };
}

// The edits between two lists of numbers by Myers' greedy algorithm ("An O(ND) Difference Algorithm", 1986), last one
// first: [kept or not, index before, index after]. Null where the limits end it.
function edits(a, b) {
  if (a.length + b.length > DIFF_LINES) return null;
  const most = Math.min(a.length + b.length, DIFF_EDITS);
  const reach = new Int32Array(2 * most + 3);
  const zero = most + 1;
  const past = [];
  for (let d = 0; d <= most; d += 1) {
    past.push(reach.slice(zero - d - 1, zero + d + 2));
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && reach[zero + k - 1] < reach[zero + k + 1]) ? reach[zero + k + 1] : reach[zero + k - 1] + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach[zero + k] = x;
      if (x >= a.length && x - k >= b.length) return trace(past, d, a.length, b.length);
    }
  }
  return null;
}

function trace(past, last, x, y) {
  const out = [];
  for (let d = last; d >= 0; d -= 1) {
    const at = (k) => past[d][k + d + 1];
    const k = x - y;
    const before = k === -d || (k !== d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
    const startX = d === 0 ? 0 : at(before);
    const startY = d === 0 ? 0 : startX - before;
    while (x > startX && y > startY) out.push([" ", --x, --y]);
    if (d === 0) break;
    out.push(x === startX ? ["+", x, --y] : ["-", --x, y]);
  }
  return out;
}

// The rows of one file's diff: {sign, old, now, text} or {gap}.
function compare(before, after) {
  const known = new Map();
  const ids = (lines) => Int32Array.from(lines, (one) => known.get(one) ?? (known.set(one, known.size), known.size - 1));
  const a = ids(before);
  const b = ids(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const middleA = a.subarray(head, a.length - tail);
  const middleB = b.subarray(head, b.length - tail);
  const found = edits(middleA, middleB);
  const all = [];
  for (let i = 0; i < head; i += 1) all.push([" ", i, i]);
  if (found) for (const [sign, i, j] of found.reverse()) all.push([sign, head + i, head + j]);
  else {
    for (let i = 0; i < middleA.length; i += 1) all.push(["-", head + i, head]);
    for (let j = 0; j < middleB.length; j += 1) all.push(["+", head + middleA.length, head + j]);
  }
  for (let i = tail; i > 0; i -= 1) all.push([" ", a.length - i, b.length - i]);
  const near = new Uint8Array(all.length);
  all.forEach(([sign], at) => { if (sign !== " ") near.fill(1, Math.max(0, at - DIFF_CONTEXT), at + DIFF_CONTEXT + 1); });
  const rows = [];
  let skipped = 0;
  all.forEach(([sign, i, j], at) => {
    if (!near[at]) { skipped += 1; return; }
    if (skipped) rows.push({ gap: skipped });
    skipped = 0;
    rows.push({ sign, old: i + 1, now: j + 1, text: sign === "+" ? after[j] : before[i] });
  });
  if (skipped) rows.push({ gap: skipped });
  const total = (sign) => all.reduce((sum, [one]) => sum + (one === sign ? 1 : 0), 0);
  return { rows, plus: total("+"), minus: total("-"), rough: !found };
}

function editRow({ gap, sign, old, now, text }) {
  if (gap) return el("div", "gap", `${many(gap, "unchanged line")}`);
  const row = el("div", `row edit ${sign === "+" ? "plus" : sign === "-" ? "minus" : ""}`);
  row.append(el("span", "n old", sign === "+" ? "" : String(old)), el("span", "n new", sign === "-" ? "" : String(now)), el("span", "sign", sign === "-" ? "−" : sign), el("code", "", shown(text)));
  return row;
}

function fileDiff(value, at) {
  object(value, at);
  const old = maybe(text, value.old, `${at}.old`);
  const now = text(value.new, `${at}.new`);
  let [before, after] = [linesOf(old ?? ""), linesOf(now)];
  // Line endings are worth seeing only where they differ.
  if ([...before, ...after].every((one) => one.endsWith("\r"))) [before, after] = [before.map(bare), after.map(bare)];
  const { rows: lines, plus, minus, rough } = compare(before, after);
  const label = old === undefined ? "no earlier text" : rough ? "too different to compare line by line" : "";
  const counts = el("span", "count", [label, plus + minus > 0 ? `+${number(plus)} −${number(minus)}` : ""].filter(Boolean).join(" · "));
  const box = el("div", "file", el("div", "path", el("code", "", shown(text(value.path, `${at}.path`))), counts));
  if (plus + minus > 0) box.append(...rows(el("div", "rows"), lines.length, (index) => editRow(lines[index]), FIRST_LINES, "row"));
  const ends = (whole) => whole === "" || whole.endsWith("\n");
  if (old !== undefined && ends(old) !== ends(now)) box.append(el("div", "gap", ends(now) ? "The last line now ends with a line break." : "The last line no longer ends with a line break."));
  else if (plus + minus === 0) box.append(el("div", "gap", "No change."));
  return { box, plus, minus };
}

function diff(card) {
  const values = list(card.diffs, "diffs");
  const drawn = [];
  const body = flush(...rows(el("div", "rows"), values.length, (index) => {
    const one = fileDiff(values[index], `diffs[${index}]`);
    if (index === drawn.length) drawn.push(one);
    return one.box;
  }, FIRST_SHORT, "file"));
  const sum = (key) => drawn.reduce((total, one) => total + one[key], 0);
  // The whole sum is known only where every file has been compared.
  const badges = [badge("", many(values.length, "file"))];
  if (drawn.length === values.length) badges.push(badge("", `+${number(sum("plus"))} −${number(sum("minus"))}`));
  return { symbol: "diff", label: "Changes", badges, body: [body] };
}

function numbered(at, line) {
  return el("div", "row", el("span", "n", String(at)), el("code", "", shown(line)));
}

function read(card) {
  const lines = list(card.lines, "lines");
  const total = count(card.totalLines, "totalLines");
  const offset = count(card.offset, "offset");
  const language = maybe(text, card.language, "language");
  const of = (index) => {
    const one = object(lines[index], `lines[${index}]`);
    return [count(one.number, `lines[${index}].number`), text(one.text, `lines[${index}].text`)];
  };
  const draw = (index) => {
    const [at, words] = of(index);
    const row = numbered(at, bare(words));
    const missing = index === 0 ? 0 : at - of(index - 1)[0] - 1;
    // One row holds both, so that rows can be counted.
    return missing > 0 ? el("div", "", el("div", "gap", many(missing, "line left out", "lines left out")), row) : row;
  };
  const badges = [];
  const all = lines.length === total;
  if (lines.length > 0) {
    const [from, to] = [of(0)[0], of(lines.length - 1)[0]];
    badges.push(all ? badge("", many(total, "line")) : cut(from === to ? `line ${number(from)} of ${number(total)}` : `lines ${number(from)}–${number(to)} of ${number(total)}`));
  } else badges.push(badge("", total === 0 ? "empty file" : `no line from ${number(offset)}`));
  const path = el("div", "path", el("code", "", shown(text(card.path, "path"))), language === undefined ? null : el("bdi", "count", shown(language, 40)));
  const body = [flush(path, ...rows(el("div", "rows"), lines.length, draw, FIRST_LINES, "line"))];
  if (!all) body.push(note(`${many(total - lines.length, "line")} of this file ${total - lines.length === 1 ? "is" : "are"} not in this result.`));
  return { symbol: "read", label: "File", badges, body };
}

function totals(found, total, truncated, one, several) {
  return truncated ? cut(`truncated: ${number(found)} of ${many(total, one, several)}`) : badge("", many(total, one, several));
}

function search(card) {
  const which = variant(card.results, "results", ["matches", "paths"]);
  const at = `results.${which}`;
  const results = object(card.results[which], at);
  const truncated = flag(results.truncated, `${at}.truncated`);
  const total = count(results.total, `${at}.total`);
  const symbol = "search";
  const label = which === "matches" ? "Search" : "Files found";
  if (which === "paths") {
    const paths = list(results.paths, `${at}.paths`);
    const draw = (index) => el("code", "", shown(text(paths[index], `${at}.paths[${index}]`)));
    const body = paths.length ? section(null, ...rows(el("div", "list"), paths.length, draw, FIRST_LINES, "path")) : note("Nothing found.");
    return { symbol, label, badges: [totals(paths.length, total, truncated, "path")], body: [body] };
  }
  const files = list(results.files, `${at}.files`).map((file, index) => {
    const place = `${at}.files[${index}]`;
    return { place, path: text(object(file, place).path, `${place}.path`), matches: list(file.matches, `${place}.matches`) };
  });
  const draw = (index) => {
    const { place, path, matches } = files[index];
    const row = (one) => {
      const match = object(matches[one], `${place}.matches[${one}]`);
      return numbered(count(match.lineNumber, `${place}.matches[${one}].lineNumber`), bare(text(match.line, `${place}.matches[${one}].line`)));
    };
    return el("div", "file", el("div", "path", el("code", "", shown(path)), el("span", "count", many(matches.length, "line"))),
      ...rows(el("div", "rows"), matches.length, row, FIRST_SHORT, "line"));
  };
  const found = files.reduce((sum, file) => sum + file.matches.length, 0);
  const body = files.length ? flush(...rows(el("div", "rows"), files.length, draw, FIRST_SHORT, "file")) : note("Nothing found.");
  return { symbol, label, badges: [totals(found, total, truncated, "matching line"), badge("", many(files.length, "file"))], body: [body] };
}

// The host name of an address, as a browser would resolve it: letters that imitate others are spelled out there.
function hostName(address) {
  return el("b", "", webAddress(address)?.host ?? "not a web address");
}

function web(card) {
  const which = variant(card.results, "results", ["search", "fetch"]);
  const at = `results.${which}`;
  const results = object(card.results[which], at);
  const truncated = flag(results.truncated, `${at}.truncated`);
  if (which === "fetch") {
    const url = text(results.url, `${at}.url`);
    const status = count(results.status, `${at}.status`);
    const tone = status >= 200 && status < 300 ? "good" : status >= 400 ? "bad" : "";
    const badges = [badge(tone, `HTTP ${status}`)];
    if (truncated) badges.push(cut("truncated"));
    const page = el("div", "source", el("div", "where", hostName(url)), el("div", "url", linked(url)));
    const body = [section(null, page)];
    if (truncated) body.push(note("A part of the page was left out."));
    return { symbol: "web", label: "Web page", badges, body };
  }
  const sources = list(results.sources, `${at}.sources`);
  const answer = maybe(text, results.answer, `${at}.answer`);
  const draw = (index) => {
    const place = `${at}.sources[${index}]`;
    const source = object(sources[index], place);
    const url = text(source.url, `${place}.url`);
    const title = maybe(text, source.title, `${place}.title`);
    const snippet = maybe(text, source.snippet, `${place}.snippet`);
    const published = maybe(text, source.published, `${place}.published`);
    const where = el("div", "where", hostName(url), published === undefined ? null : el("span", "", shown(published, 60)));
    return el("div", "source", title === undefined ? null : linked(url, shown(title, MOST_TITLE)), where,
      title === undefined || !webAddress(url) ? el("div", "url", linked(url)) : null,
      snippet === undefined ? null : el("div", "prose", shown(snippet)));
  };
  const body = [];
  if (answer !== undefined) body.push(section("Answer", ...proseBlock(answer)));
  body.push(sources.length ? section(answer === undefined ? null : "Sources", ...rows(el("div", "sources"), sources.length, draw, FIRST_SHORT, "source")) : note("No sources."));
  const badges = [badge("", many(sources.length, "source"))];
  if (truncated) badges.push(cut("truncated"));
  return { symbol: "web", label: "Web search", badges, body };
}

const CARDS = new Map(Object.entries({ generic, terminal, diff, read, search, web }));

// A card, framed. What cannot be drawn is thrown as `Malformed`, a kind that is not known as `UnknownCard`.
function drawCard(card) {
  if (!isObject(card) || !CARDS.has(card.card)) throw new UnknownCard(isObject(card) && typeof card.card === "string" ? card.card : undefined);
  const title = shown(text(card.title, "title"), MOST_TITLE);
  return framed({ title, ...CARDS.get(card.card)(card) });
}
