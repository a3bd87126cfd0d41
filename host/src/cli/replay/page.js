// The page of a replay: the timeline of a log's calls, its filters, and what each call holds. The drawing stands above.
//
// The log is one JSON text a line (`LogRecord`, docs/session-log.schema.json). A call's lines are kept as text and read
// again when it is opened; what the timeline needs of them is a `Call`.

// ---- Limits, and time.

const SLICE = 8; // Milliseconds of work before the browser gets its turn: half a frame, so that scrolling stays smooth.
const BATCH = 50; // Rows that are drawn together or not at all: a large screen.
const NEAR = "1600px"; // How far from the screen rows are drawn: two screens, so that scrolling does not outrun them.
const LONG = 1000; // Milliseconds from which a duration stands out: a person notices a second.
const MOST_SUBJECT = 200; // UTF-16 units of a row's text: more than the widest row has place for.
const MOST_MARKED = 2000; // Places where a search's words are marked: more than anybody steps through.
const MOST_WORDS = 16; // Of one search.

const channel = new MessageChannel();
const turns = [];
channel.port1.onmessage = () => turns.shift()();
const breathe = () => new Promise((resolve) => { turns.push(resolve); channel.port2.postMessage(null); });

// Calls `step` for each item, in slices. Ends early, with false, once `stale()` holds.
async function each(items, step, stale = () => false) {
  let until = performance.now() + SLICE;
  for (const item of items) {
    step(item);
    if (performance.now() < until) continue;
    await breathe();
    if (stale()) return false;
    until = performance.now() + SLICE;
  }
  return true;
}

// ---- States, told apart by shape and word, and by colour only after that.

for (const [name, path] of Object.entries({
  success: "M3 8.5l3.2 3L13 4.5", failed: "M4 4l8 8M12 4l-8 8", refused: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM3.8 3.8l8.4 8.4",
  aborted: "M3.5 3.5h9v9h-9z", fault: "M9 1.5L3.5 9H8l-1 5.5L12.5 7H8z", interrupted: "M1.5 8H5M11 8h3.5M9.5 3L6.5 13",
  unended: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.3 8h.1M8 8h.1M10.6 8h.1", shield: "M8 1.5l5 2v4c0 3.5-2 5.8-5 7-3-1.2-5-3.5-5-7v-4z",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4z",
  cut: "M2 4.5h12M2 8h3M7 8h2M11 8h3M2 11.5h12", nested: "M3 2.5V10h6M9 7.5l2.5 2.5L9 12.5", log: "M3 8h10",
})) ICONS.set(name, path);

const STATES = new Map(Object.entries({
  success: "success", failed: "failed", refused: "refused", aborted: "aborted", fault: "fault", interrupted: "interrupted", unended: "no end",
}));
const VERDICTS = new Map(Object.entries({
  content: "gave the model other content", value: "replaced the value", block: "blocked the result", failed: "came to no verdict: blocked",
}));
const NOT_RUN = new Map(Object.entries({
  "not-started": "The process that made the call ended before the tool began to run. It can be asked for again.",
  "outcome-unknown": "The process that made the call ended while the tool ran. What it did is not known.",
}));

const state = (name) => el("span", `state ${name}`, icon(name), STATES.get(name));

// ---- Reading.

const ID = /^[1-9][0-9]{0,18}(?:\.[1-9][0-9]{0,18}){0,15}$/;

/** What the timeline knows of a call. Everything else is read from its lines again. */
class Call {
  constructor(id, event, line) {
    this.id = id;
    this.lines = [line];
    this.tool = text(event.tool, "tool");
    this.title = maybe(text, event.title, "title");
    this.at = text(event.at, "at");
    this.state = "unended";
    this.code = undefined;
    this.millis = undefined;
    this.started = false;
    this.marks = { denied: 0, reviews: [], left: false };
    this.children = [];
    this.named = isObject(event.card) && typeof event.card.title === "string";
    this.subject = subjectOf(event);
    this.why = undefined; // The message of a failure.
    this.words = undefined; // What a search looks through, once there was one.
    this.row = undefined; // While it is drawn.
    this.place = undefined; // Among the rows that are visible, where it is one.
  }

  end(event, line) {
    this.lines.push(line);
    this.millis = count(event.millis, "millis");
    const outcome = text(event.outcome, "outcome");
    if (outcome === "failure") {
      const kind = text(event.kind, "kind");
      this.state = STATES.has(kind) ? kind : "failed";
      this.code = text(event.code, "code");
      this.why = text(event.message, "message").slice(0, 2 * MOST_SUBJECT).replace(/\s+/g, " ");
    } else if (outcome === "success" || outcome === "interrupted") this.state = outcome;
    else bad("outcome", "one of success, failure, interrupted");
    this.marks = {
      denied: (maybe(list, event.decisions, "decisions") ?? []).filter((one) => isObject(one) && one.allowed === false).length,
      reviews: (maybe(list, event.reviews, "reviews") ?? []).filter(isObject).map((one) => one.verdict),
      left: isObject(event.spilled) || isObject(event.cardCut),
    };
    if (isObject(event.card) && typeof event.card.title === "string") {
      this.named = true;
      this.subject = event.card.title;
    }
    for (const [key, used] of Object.entries(maybe(object, event.usage, "usage") ?? {})) {
      if (typeof used === "number" && used > (log.mostUsed.get(key) ?? 0)) log.mostUsed.set(key, used);
    }
  }

  /** The call and those it made, at all depths. */
  * family() {
    yield this;
    for (const child of this.children) yield* child.family();
  }
}

// What a row says of a call: its card's title, else the beginning of its arguments.
function subjectOf(event) {
  if (isObject(event.card) && typeof event.card.title === "string") return event.card.title;
  return text(event.args, "args").slice(0, 2 * MOST_SUBJECT).replace(/\s+/g, " ");
}

const log = { title: "", calls: new Map(), entries: [], items: 0, said: undefined, opens: [], flaws: 0, repairs: 0, mostUsed: new Map() };

// One line of the log. What it cannot be read as is said in its place.
function take(line) {
  let record;
  try {
    record = object(JSON.parse(line), "the line");
    if (typeof record.event === "string") { log.items += 1; event(record, line); }
    else if (Object.hasOwn(record, "why")) { log.items += 1; log.flaws += 1; log.entries.push({ icon: "alert", tone: "trouble", words: [`Line ${number(count(record.line, "line"))}: `, el("bdi", "", shown(text(record.why, "why"), 1000))] }); }
    else if (Object.hasOwn(record, "title")) log.title = text(record.title, "title");
    else if (Object.hasOwn(record, "items")) log.said = count(record.items, "items");
    else bad("the line", "an event");
  } catch (error) {
    if (!(error instanceof Malformed || error instanceof SyntaxError)) throw error;
    log.flaws += 1;
    const which = Number.isSafeInteger(record?.seq) ? `Record ${number(record.seq)}` : "A record";
    log.entries.push({ icon: "alert", tone: "trouble", words: [`${which} is not shown: ${error instanceof Malformed ? error.message : "it is not JSON"}.`] });
  }
}

function event(record, line) {
  switch (record.event) {
    case "open": {
      const host = text(record.host, "host");
      const values = flag(record.values, "values");
      log.opens.push({ host, values, at: record.at });
      log.entries.push({ icon: "log", at: record.at, words: [log.opens.length === 1 ? "Opened by " : "Opened again by ", el("bdi", "", shown(host, 100)), values ? "; values are recorded" : ""] });
      break;
    }
    case "call": {
      const id = text(record.call, "call");
      if (!ID.test(id)) bad("call", "the name of a call");
      if (log.calls.has(id)) bad("call", `new: call ${id} stands above`);
      const call = new Call(id, record, line);
      log.calls.set(id, call);
      const parent = log.calls.get(id.slice(0, Math.max(0, id.lastIndexOf("."))));
      if (parent) parent.children.push(call);
      else log.entries.push({ call });
      break;
    }
    case "start":
      known(record).started = true;
      known(record).lines.push(line);
      break;
    case "end": {
      const call = known(record);
      if (call.state !== "unended") bad("call", `open: call ${call.id} has ended above`);
      call.end(record, line);
      break;
    }
    case "repair": {
      log.repairs += 1;
      const open = list(record.openCalls, "openCalls");
      const torn = maybe(count, record.tornBytes, "tornBytes");
      const file = maybe(text, record.tornFile, "tornFile");
      const words = ["Repaired: ", many(open.length, "call"), " without an end"];
      if (torn !== undefined) words.push(`; the last line was torn, ${many(torn, "byte")}`);
      if (file !== undefined) words.push(" kept in ", el("bdi", "", el("code", "", shown(file, 200))));
      log.entries.push({ icon: "warn", tone: "warned", at: record.at, words });
      break;
    }
    default:
      bad("event", "of a kind that is known here");
  }
}

function known(record) {
  const call = log.calls.get(record.call);
  if (!call) bad("call", "one whose beginning stands above");
  return call;
}

function* lines() {
  for (const block of document.querySelectorAll('script[type="application/x-ndjson"]')) {
    const text = block.textContent;
    block.remove();
    for (let from = 0; from < text.length;) {
      const end = text.indexOf("\n", from);
      const to = end < 0 ? text.length : end;
      if (to > from) yield text.slice(from, to);
      from = to + 1;
    }
  }
}

// ---- Words for times and sizes.

function clock(at) {
  if (at === undefined) return undefined;
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
const dayOf = (at) => clock(at)?.slice(0, 10);

function timeNode(at, name = "") {
  const iso = clock(at);
  if (iso === undefined) return el("span", name, shown(at, 40));
  const node = el("time", name, iso.slice(11, 23));
  node.dateTime = iso;
  return node;
}

function duration(millis) {
  if (millis < 1000) return `${number(millis)} ms`;
  if (millis < 60000) return `${number(Math.round(millis / 10) / 100)} s`;
  const seconds = Math.round(millis / 1000);
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${number(Math.floor(seconds / 3600))} h ${Math.floor(seconds % 3600 / 60)} min`;
}

// A limit's key ends with its unit where it has one.
function used(key, value) {
  if (key.endsWith("-ms")) return duration(value);
  if (key.endsWith("-bytes")) return bytes(value);
  return number(value);
}

// ---- The timeline.

const page = Object.fromEntries(["title", "facts", "theme", "help", "query", "facets", "filter", "clear", "troubles", "status", "calls", "none", "keys", "letters", "by-state", "by-mark", "by-tool", "main"]
  .map((id) => [id, document.getElementById(id)]));
const top = []; // The calls of the timeline, in its order.
const items = []; // All of its rows: days, calls, and what happened between them.
let visible = []; // Those that the filters leave.
let batches = [];
let current; // The call at which the keyboard is.

const chip = (name, symbol, ...words) => el("span", `chip ${name}`, icon(symbol), ...words);

function chips(call) {
  const all = [];
  let denied = 0;
  for (const one of call.family()) denied += one.marks.denied;
  if (denied > 0) all.push(chip("denied", "shield", `${number(denied)} denied`));
  const blocked = call.marks.reviews.some((verdict) => verdict === "block" || verdict === "failed");
  if (call.marks.reviews.length > 0) all.push(chip(blocked ? "blocked" : "reviewed", "eye", blocked ? "blocked" : "reviewed"));
  if (call.marks.left) all.push(chip("left", "cut", "shortened"));
  if (call.children.length > 0) all.push(chip("made", "nested", many(call.children.length, "call")));
  return all;
}

function rowOf(call) {
  const link = el("a", "id", call.id);
  link.href = `#call-${call.id}`;
  link.tabIndex = -1;
  link.setAttribute("aria-label", `Link to call ${call.id}`);
  const took = el("span", call.millis >= LONG ? "took long" : "took", call.millis === undefined ? "" : duration(call.millis));
  const button = el("button", "open", timeNode(call.at), state(call.state), el("code", "tool", shown(call.tool, 64)),
    el("span", "gist", el("bdi", call.named ? "subject" : "subject raw-args", shown(call.subject, MOST_SUBJECT)), call.why === undefined ? null : el("bdi", "why", shown(call.why, MOST_SUBJECT))), el("span", "chips", ...chips(call)), took);
  button.type = "button";
  button.tabIndex = -1;
  button.setAttribute("aria-expanded", "false");
  const row = el("div", "call", el("h3", "bar", link, button));
  row.id = `call-${call.id}`;
  row.setAttribute("role", "listitem");
  call.row = row;
  return row;
}

function eventRow({ icon: symbol, tone = "", at, words }) {
  const row = el("div", `event ${tone}`, icon(symbol), at === undefined ? el("span", "") : timeNode(String(at)), el("span", "", ...words));
  row.setAttribute("role", "listitem");
  return row;
}

function dayRow(day) {
  const row = el("div", "day", day, el("span", "dim", " UTC"));
  row.setAttribute("role", "listitem");
  return row;
}

// Numbers are given in the order in which calls are asked for; several at once may be written down in another.
function byNumber(a, b) {
  const [one, two] = [a.id.split("."), b.id.split(".")];
  for (let at = 0; at < Math.min(one.length, two.length); at += 1) {
    if (one[at].length !== two[at].length) return one[at].length - two[at].length;
    if (one[at] !== two[at]) return one[at] < two[at] ? -1 : 1;
  }
  return one.length - two.length;
}

function arrange() {
  const calls = log.entries.flatMap((entry) => (entry.call ? [entry.call] : [])).sort(byNumber);
  for (const call of log.calls.values()) call.children.sort(byNumber);
  let day;
  let next = 0;
  for (const entry of log.entries) {
    if (entry.call) {
      entry.call = calls[next];
      next += 1;
    }
    const at = entry.call ? entry.call.at : entry.at;
    const now = at === undefined ? undefined : dayOf(at);
    if (now !== undefined && now !== day) {
      day = now;
      items.push({ day });
    }
    items.push(entry);
    if (entry.call) top.push(entry.call);
  }
}

// Only rows near the screen are there: 10,000 at once would make every step of the browser's slow. A row is of one height
// while it is closed, so a batch that is not drawn still has its place.
const near = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    const batch = batches[Number(target.dataset.batch)];
    if (batch?.node !== target) continue;
    if (isIntersecting) fill(batch);
    else drop(batch);
  }
}, { rootMargin: `${NEAR} 0px` });

function fill(batch) {
  if (batch.drawn) return;
  batch.drawn = true;
  const rows = batch.items.map((item, index) => {
    const row = item.call ? item.call.row ?? rowOf(item.call) : item.day ? dayRow(item.day) : eventRow(item);
    row.setAttribute("aria-posinset", String(batch.from + index + 1));
    row.setAttribute("aria-setsize", String(visible.length));
    return row;
  });
  batch.node.replaceChildren(...rows);
  batch.node.classList.remove("away");
  if (current?.row) buttonOf(current).tabIndex = 0;
  markSoon();
}

function drop(batch) {
  const busy = batch.items.some(({ call }) => call?.row && (call === current || isOpen(call) || call.row.contains(document.activeElement)));
  if (!batch.drawn || busy) return;
  batch.drawn = false;
  for (const { call } of batch.items) if (call) call.row = undefined;
  batch.node.replaceChildren();
  batch.node.classList.add("away");
}

// The timeline of these rows, from its beginning.
function lay(rows) {
  for (const batch of batches) {
    near.unobserve(batch.node);
    for (const { call } of batch.items) if (call?.row && !isOpen(call)) call.row = undefined;
  }
  visible = rows;
  batches = [];
  for (const { call } of items) if (call) call.place = undefined;
  for (let from = 0; from < rows.length; from += BATCH) {
    const batch = { node: el("div", "batch away"), items: rows.slice(from, from + BATCH), from, drawn: false };
    // Only for layout: the list's items are its children's children.
    batch.node.setAttribute("role", "none");
    batch.node.dataset.batch = String(batches.length);
    batch.node.style.setProperty("--rows", String(batch.items.length));
    batch.items.forEach(({ call }, index) => { if (call) call.place = from + index; });
    batches.push(batch);
  }
  page.calls.replaceChildren(...batches.map((batch) => batch.node));
  if (batches.length > 0) fill(batches[0]);
  for (const batch of batches) near.observe(batch.node);
}

// A row that is wanted now, wherever it is.
function summon(call) {
  if (call.place !== undefined) fill(batches[Math.floor(call.place / BATCH)]);
  return call.row !== undefined;
}

// ---- What a call holds.

const part = (name, title, ...nodes) => el("section", `part ${name}`, heading(-1, "", title), ...nodes);
const notice = (tone, symbol, ...words) => el("p", `notice ${tone}`, icon(symbol), el("span", "", ...words));

// Whatever is not of its form is said to be so; the rest of the call is still there.
function attempt(what, draw) {
  try {
    return draw();
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return notice("warned", "warn", `${what} cannot be drawn: ${error.message}.`);
  }
}

// JSON text as lines, its numbers, escapes and double keys as they are written. Null where it is not JSON.
function jsonTextLines(text) {
  try { JSON.parse(text); } catch { return null; }
  const out = [];
  let line = "";
  let depth = 0;
  let fresh = false;
  const feed = () => { out.push(line); line = "  ".repeat(depth); };
  for (let at = 0; at < text.length && out.length < MOST_JSON_ROWS;) {
    const c = text[at];
    let end = at + 1;
    if (/\s/.test(c)) { at = end; continue; }
    if (c === '"') {
      for (end = text.indexOf('"', end); /(?<!\\)(?:\\\\)*\\$/.test(text.slice(Math.max(at, end - 64), end)); end = text.indexOf('"', end + 1));
      end += 1;
    } else if (!"{}[]:,".includes(c)) while (end < text.length && !/[\s{}[\]:,]/.test(text[end])) end += 1;
    const token = text.slice(at, end);
    at = end;
    if (c === "}" || c === "]") {
      depth -= 1;
      if (!fresh) feed();
    } else if (fresh) feed();
    fresh = false;
    line += c === ":" ? ": " : token;
    if (c === "{" || c === "[") { depth += 1; fresh = true; }
    if (c === ",") feed();
  }
  out.push(out.length < MOST_JSON_ROWS ? line : "…");
  return out;
}

function argsOf(event) {
  const args = text(event.args, "args");
  const nodes = [];
  const whole = maybe(count, event.argsBytes, "argsBytes");
  if (whole !== undefined) nodes.push(notice("warned", "cut", `Only their beginning is recorded: they had ${many(whole, "byte")}.`));
  const lines = jsonTextLines(args);
  if (lines) nodes.push(...rows(el("div", "code"), lines.length, (index) => line(lines[index]), FIRST_SHORT, "line"));
  else if (args === "") nodes.push(el("p", "dim", "None, which means {}."));
  else {
    if (whole === undefined) nodes.push(notice("warned", "warn", "They are not JSON."));
    nodes.push(...codeBlock(args, FIRST_SHORT));
  }
  return nodes;
}

// The generic card of what is recorded: what a client shows that cannot draw a card.
function genericCard(call, event, content) {
  let input;
  try { input = parsed(event.args); } catch { input = event.args; }
  return drawCard({ card: "generic", title: call.title ?? call.tool, input, body: content });
}

function cardPart(call, event, card, content, pending) {
  const box = el("div", "card");
  const nodes = [box];
  afresh();
  let drawn;
  try {
    drawn = drawCard(card);
  } catch (error) {
    if (!(error instanceof Malformed || error instanceof UnknownCard)) throw error;
    const why = error instanceof UnknownCard ? ["is of a kind that is not known here", error.kind === undefined ? "" : [": ", el("bdi", "", shown(error.kind, 60))]].flat() : [`cannot be drawn: ${error.message}`];
    nodes.unshift(notice("warned", "warn", "The card ", ...why, ". This is what was recorded beside it."));
    afresh();
    try { drawn = genericCard(call, event, content); } catch { drawn = framed({ symbol: "other", label: "Tool", title: shown(call.title ?? call.tool, MOST_TITLE), body: [note("There is no content that can be shown.")] }); }
  }
  box.append(...drawn.nodes);
  box.setAttribute("role", "group");
  drawn.headline.id = `card-${call.id}`;
  box.setAttribute("aria-labelledby", drawn.headline.id);
  return part("shown", pending ? "What a person saw while it ran" : "What a person saw", ...nodes);
}

function failurePart(call, event) {
  const nodes = [el("p", "code-line", state(call.state), el("code", "", shown(text(event.code, "code"), 64)))];
  nodes.push(...proseBlock(text(event.message, "message"), "prose message"));
  if (event.details !== undefined) nodes.push(...jsonBlock(event.details));
  return part(`ended ${call.state}`, "How it ended", ...nodes);
}

function decisionsPart(decisions) {
  const all = decisions.map((value, index) => {
    const at = `decisions[${index}]`;
    const one = object(value, at);
    const allowed = flag(one.allowed, `${at}.allowed`);
    const kind = maybe(text, one.capability, `${at}.capability`);
    const row = el("li", allowed ? "allowed" : "denied", el("span", "verdict", icon(allowed ? "success" : "refused"), allowed ? "allowed" : "denied"),
      el("span", "kind-of", kind === undefined ? "no capability" : shown(kind, 40)),
      el("code", "target", shown(text(one.target, `${at}.target`))), el("span", "rule dim", shown(text(one.rule, `${at}.rule`))));
    return { allowed, row };
  });
  const denied = all.filter((one) => !one.allowed);
  const order = [...denied, ...all.filter((one) => one.allowed)];
  const title = denied.length > 0 ? `Authority: ${number(denied.length)} denied` : "Authority";
  return part("authority", title, ...rows(el("ul", "decisions"), order.length, (index) => order[index].row, FIRST_SHORT, "decision"));
}

function reviewsPart(reviews) {
  const draw = (index) => {
    const one = object(reviews[index], `reviews[${index}]`);
    const verdict = text(one.verdict, `reviews[${index}].verdict`);
    const blocked = verdict === "block" || verdict === "failed";
    return el("li", blocked ? "denied" : "changed", el("span", "verdict", icon(blocked ? "refused" : "eye"), el("bdi", "", shown(text(one.reviewer, `reviews[${index}].reviewer`), 100))),
      el("span", "", VERDICTS.get(verdict) ?? shown(verdict, 60)));
  };
  return part("reviews", "Reviews", ...rows(el("ul", "decisions"), reviews.length, draw, FIRST_SHORT, "review"));
}

function contentPart(call, event) {
  const nodes = [];
  if (event.spilled !== undefined) {
    nodes.push(attempt("What was left out", () => {
      const spilled = object(event.spilled, "spilled");
      const [whole, omitted] = [count(spilled.bytes, "spilled.bytes"), count(spilled.omitted, "spilled.omitted")];
      return notice("warned", "cut", `The model did not read ${number(omitted)} of ${many(whole, "byte")}. The whole text is kept at `, el("bdi", "", el("code", "", shown(text(spilled.locator, "spilled.locator")))), ".");
    }));
  }
  nodes.push(attempt("The content", () => {
    afresh();
    const blocks = contentBlocks(event.content, "content");
    return blocks.length > 0 ? el("div", "read", ...blocks) : el("p", "dim", "Nothing.");
  }));
  return part("content", call.id.includes(".") ? "What it gave, as text" : "What the model read", ...nodes);
}

function fact(name, ...value) {
  return [el("dt", "", name), el("dd", "", ...value)];
}

function digest(name, value, at) {
  return value === undefined ? [] : fact(name, el("code", "digest", shown(text(value, at), 100)));
}

function facts(call, records) {
  const { call: began, end } = records;
  const all = [...fact("Call", call.id), ...fact("Tool", el("code", "", shown(call.tool, MOST_TITLE)))];
  if (call.title !== undefined) all.push(...fact("Title", el("bdi", "", shown(call.title, MOST_TITLE))));
  all.push(...fact("Asked for", timeNode(call.at), el("span", "dim", ` ${dayOf(call.at) ?? ""}`)));
  if (records.start) all.push(...fact("Tool started", timeNode(text(records.start.at, "at"))));
  if (end) all.push(...fact("Ended", timeNode(text(end.at, "at"))), ...fact("Took", duration(call.millis)));
  const digests = [];
  const provider = maybe(object, began.provider, "provider");
  if (provider === undefined) all.push(...fact("Whose", "nobody's"));
  else if (isObject(provider.component)) {
    const { name, version, digest: code } = provider.component;
    all.push(...fact("Component", el("bdi", "", shown(text(name, "provider.component.name"), 100)), " ", el("bdi", "", shown(text(version, "provider.component.version"), 100))));
    digests.push(...digest("Component", code, "provider.component.digest"));
  } else if (isObject(provider.mounted)) all.push(...fact("Mounted from", el("bdi", "", el("code", "", shown(text(provider.mounted.origin, "provider.mounted.origin"), MOST_PLACE)))));
  else all.push(...fact("Whose", "of a kind that is not known here"));
  if (end?.projected !== undefined) {
    const made = object(end.projected, "projected");
    digests.push(...digest("Value", made.value, "projected.value"), ...digest("Content", made.content, "projected.content"), ...digest("Card", made.card, "projected.card"));
  }
  const seqs = Object.values(records).filter(Boolean).map((one) => number(count(one.seq, "seq")));
  all.push(...fact("Records", seqs.join(", ")));
  const nodes = [part("", "Facts", el("dl", "facts", ...all))];
  if (digests.length > 0) {
    const about = end?.projected === undefined ? [] : [el("p", "dim", "Of value, content and card as they were made: before reviews and budgets.")];
    nodes.push(part("", "Digests", el("dl", "facts", ...digests), ...about));
  }
  return el("div", "", ...nodes);
}

function usagePart(usage) {
  const entries = Object.entries(object(usage, "usage"));
  if (entries.length === 0) return null;
  const body = el("tbody", "");
  for (const [key, given] of entries.slice(0, 100)) {
    const value = given instanceof Exact ? Number(given.source) : given;
    const at = `usage.${key.slice(0, 40)}`;
    if (!(Number.isInteger(value) && value >= 0)) bad(at, "a count");
    const most = log.mostUsed.get(key) ?? value;
    const bar = el("span", "meter");
    bar.style.setProperty("--share", most > 0 ? (value / most).toFixed(3) : "0");
    const name = el("th", "", shown(key, 64));
    name.scope = "row";
    const amount = el("td", "amount", used(key, value));
    amount.title = number(value);
    body.append(el("tr", "", name, amount, el("td", "", bar, el("span", "unseen", most > 0 ? `${Math.round(100 * value / most)} % of the most` : ""))));
  }
  const column = (...words) => { const th = el("th", "", ...words); th.scope = "col"; return th; };
  const table = el("table", "usage", el("thead", "", el("tr", "", column("Limit"), column("Used"), column("Of the most in this log"))), body);
  return part("used", "Used", table);
}

// The lines themselves, for what this page does not know to draw.
function rawPart(call) {
  const box = el("details", "raw", el("summary", "", call.lines.length === 1 ? "The record" : `The ${call.lines.length} records`));
  box.addEventListener("toggle", () => {
    if (box.childElementCount > 1) return; // Drawn when it was opened before.
    for (const text of call.lines) {
      afresh();
      const lines = jsonTextLines(text);
      box.append(...rows(el("div", "code"), lines.length, (index) => line(lines[index]), FIRST_LINES, "line"));
    }
  });
  return box;
}

function detailOf(call) {
  topHeading = 5;
  const records = { call: undefined, start: undefined, end: undefined };
  for (const text of call.lines) {
    const record = parsed(text);
    records[record.event] = record;
  }
  const { call: began, end } = records;
  const nested = call.id.includes(".");
  const main = el("div", "story");
  const aside = el("div", "aside");
  const add = (box, what, draw) => { const node = attempt(what, draw); if (node) box.append(node); };
  afresh();
  if (call.state === "unended") main.append(notice("warned", "unended", call.started ? "The log has no end of this call. The tool had begun to run." : "The log has no end of this call. The tool had not begun to run."));
  if (call.state === "interrupted") main.append(notice("warned", "interrupted", NOT_RUN.get(end.state) ?? "Nobody knows how it ended."));
  if (end?.outcome === "failure") add(main, "How it ended", () => failurePart(call, end));
  if (end?.reviews?.length > 0) add(main, "The reviews", () => reviewsPart(list(end.reviews, "reviews")));
  const denied = call.marks.denied > 0;
  if (denied) add(main, "The decisions", () => decisionsPart(list(end.decisions, "decisions")));
  if (!nested) {
    const pending = end === undefined || end.outcome === "interrupted";
    const card = pending ? began.card : end.card;
    if (card !== undefined) add(main, "The card", () => cardPart(call, began, card, end?.content ?? [], pending));
    if (end?.cardCut !== undefined) add(main, "What was cut", () => {
      const { bytes: had, budget: most } = object(end.cardCut, "cardCut");
      return notice("warned", "cut", `The card was cut: it had ${many(count(had, "cardCut.bytes"), "byte")} and may have ${number(count(most, "cardCut.budget"))}.`);
    });
  }
  afresh();
  if (end && !(end.outcome === "interrupted" && Array.isArray(end.content) && end.content.length === 0)) add(main, "The content", () => contentPart(call, end));
  afresh();
  add(main, "The arguments", () => part("args", "Arguments", ...argsOf(began)));
  if (end && Object.hasOwn(end, "value")) {
    afresh();
    add(main, "The value", () => part("value", "Value", ...jsonBlock(end.value)));
  }
  if (call.children.length > 0) main.append(nestedPart(call));
  if (!denied && end?.decisions?.length > 0) add(main, "The decisions", () => decisionsPart(list(end.decisions, "decisions")));
  add(aside, "The facts", () => facts(call, records));
  if (end?.usage !== undefined) add(aside, "What was used", () => usagePart(end.usage));
  main.append(rawPart(call));
  return [main, aside];
}

function nestedPart(call) {
  const box = el("div", "nested");
  box.setAttribute("role", "list");
  const nodes = rows(box, call.children.length, (index) => call.children[index].row ?? rowOf(call.children[index]), 50, "call");
  for (const row of box.children) row.querySelector(".open").tabIndex = 0;
  return part("calls-made", "Calls it made", ...nodes);
}

// ---- Opening and closing.

const buttonOf = (call) => call.row.querySelector(".open");
const isOpen = (call) => call.row !== undefined && buttonOf(call).getAttribute("aria-expanded") === "true";
const callOf = (node) => { const row = node instanceof Element ? node.closest(".call") : null; return row ? log.calls.get(row.id.slice(5)) : undefined; };
const parentOf = (call) => log.calls.get(call.id.slice(0, Math.max(0, call.id.lastIndexOf("."))));

function setOpen(call, open) {
  if (isOpen(call) === open) return;
  const button = buttonOf(call);
  button.setAttribute("aria-expanded", String(open));
  call.row.classList.toggle("opened", open);
  if (open) {
    const detail = el("div", "detail", ...detailOf(call));
    detail.id = `detail-${call.id}`;
    call.row.append(detail);
    button.setAttribute("aria-controls", detail.id);
    markWords();
  } else {
    button.removeAttribute("aria-controls");
    call.row.lastElementChild.remove();
    for (const child of call.children) child.row = undefined;
  }
}

// Paper has no near and far.
addEventListener("beforeprint", () => batches.forEach(fill));

// Where a person is: the address follows, so that it can be copied.
function here(call) {
  try { history.replaceState(null, "", call ? `#call-${call.id}` : location.pathname + location.search); } catch { /* Not every place a file can be in lets a page do that. */ }
}

function focusCall(call) {
  if (!call || !summon(call)) return;
  if (current?.row && current !== call && current.place !== undefined) buttonOf(current).tabIndex = -1;
  current = call;
  const button = buttonOf(call);
  button.tabIndex = 0;
  button.focus({ preventScroll: true });
  call.row.firstElementChild.scrollIntoView({ block: "nearest" });
}

// Opens a call that an address names, and all that it is in.
function reveal(id) {
  const call = log.calls.get(id);
  if (!call) return false;
  const chain = [];
  for (let at = call; at; at = parentOf(at)) chain.unshift(at);
  if (chain[0].place === undefined) {
    page.filter.reset();
    shows(items, true);
  }
  for (const one of chain) if (summon(one)) setOpen(one, true);
  if (!call.row) return false;
  focusCall(call);
  call.row.scrollIntoView({ block: "start" });
  return true;
}

page.calls.addEventListener("click", (event) => {
  const button = event.target.closest(".open");
  const call = button && callOf(button);
  if (!call) return;
  if (current !== call) focusCall(call);
  setOpen(call, !isOpen(call));
  if (isOpen(call)) here(call);
});

addEventListener("hashchange", () => {
  const id = /^#call-(.+)$/.exec(location.hash)?.[1];
  if (id !== undefined) reveal(id);
});

// ---- Search and filters.

const MARKS = new Map(Object.entries({ denied: "Denials", reviewed: "Reviews", left: "Something left out", made: "Calls of other tools" }));
const has = {
  denied: (call) => call.marks.denied > 0,
  reviewed: (call) => call.marks.reviews.length > 0,
  left: (call) => call.marks.left,
  made: (call) => call.children.length > 0,
};

// The words that are shown of a call: its texts, and the keys of JSON that is data.
function gather(value, out, data = false) {
  if (typeof value === "string") out.push(value);
  else if (typeof value === "number" || typeof value === "boolean") out.push(String(value));
  else if (value instanceof Exact) out.push(value.source);
  else if (Array.isArray(value)) for (const one of value) gather(one, out, data);
  else if (value !== null) {
    for (const [key, one] of Object.entries(value)) {
      if (data) out.push(key);
      else if (HIDDEN_KEYS.has(key)) continue;
      gather(one, out, data || DATA_KEYS.has(key));
    }
  }
}
// Never shown, or not as they are written: pictures, tags, and how records hang together.
const HIDDEN_KEYS = new Set(["seq", "prev", "event", "type", "outcome", "state", "kind", "data", "blob", "annotations"]);
const DATA_KEYS = new Set(["value", "details", "input", "usage"]);

function wordsOf(call) {
  if (call.words !== undefined) return call.words;
  const out = [call.id, STATES.get(call.state)];
  for (const text of call.lines) {
    const record = JSON.parse(text);
    if (isObject(record.card)) delete record.card.card; // Its kind, which is drawn and not written.
    gather(record, out);
    if (record.event === "call" && typeof record.args === "string" && record.args.includes("\\")) {
      try { gather(JSON.parse(record.args), out, true); } catch { /* It is in as text. */ }
    }
  }
  call.words = out.join("\n").toLowerCase();
  return call.words;
}

function asked() {
  const chosen = (group) => new Set([...page[group].querySelectorAll("input:checked")].map((box) => box.value));
  const words = (page.query.value.toLowerCase().match(/"[^"]+"|[^\s"]+/g) ?? []).slice(0, MOST_WORDS).map((word) => (word.startsWith('"') && word.length > 2 ? word.slice(1, -1) : word));
  return { words, states: chosen("by-state"), marks: chosen("by-mark"), tools: chosen("by-tool") };
}

// A call is in where it, or one that it made, is all that is asked for.
function suits(call, { words, states, marks, tools }) {
  const one = (call) => (states.size === 0 || states.has(call.state)) && (tools.size === 0 || tools.has(call.tool))
    && (marks.size === 0 || [...marks].some((mark) => has[mark](call))) && words.every((word) => wordsOf(call).includes(word));
  for (const member of call.family()) if (one(member)) return true;
  return false;
}

let round = 0;
async function apply() {
  round += 1;
  const mine = round;
  const want = asked();
  const all = want.words.length + want.states.size + want.marks.size + want.tools.size === 0;
  if (all) return shows(items, true);
  const found = [];
  page.main.setAttribute("aria-busy", "true");
  const whole = await each(items, (item) => { if (item.call && suits(item.call, want)) found.push(item); }, () => mine !== round);
  if (whole) shows(found, false);
}

function shows(rows, all) {
  round += 1;
  lay(rows);
  page.main.removeAttribute("aria-busy");
  page.calls.hidden = rows.length === 0;
  page.clear.hidden = all;
  page.none.hidden = rows.some((item) => item.call);
  say(all ? many(top.length, "call") : `${number(rows.length)} of ${many(top.length, "call")}`);
  const at = current && log.calls.get(current.id.split(".")[0]);
  if (at?.place === undefined) current = rows.find((item) => item.call)?.call;
  if (current?.row) buttonOf(current).tabIndex = 0;
  markWords();
}

function say(words) { page.status.textContent = words; }

// The words that were asked for, where they stand. Without changing what stands there.
function markWords() {
  if (!globalThis.CSS?.highlights) return;
  const { words } = asked();
  if (words.length === 0) { CSS.highlights.delete("found"); return; }
  const ranges = [];
  const look = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && ranges.length < MOST_MARKED; node = walker.nextNode()) {
      const text = node.data.toLowerCase();
      if (text.length !== node.data.length) continue; // Lower case that is longer moves the places.
      for (const word of words) {
        for (let at = text.indexOf(word); at >= 0 && ranges.length < MOST_MARKED; at = text.indexOf(word, at + word.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + word.length);
          ranges.push(range);
        }
      }
    }
  };
  look(page.calls);
  CSS.highlights.set("found", new Highlight(...ranges));
}

let marking = false;
function markSoon() {
  if (marking) return;
  marking = true;
  requestAnimationFrame(() => { marking = false; markWords(); });
}

let waiting;
page.query.addEventListener("input", () => {
  clearTimeout(waiting);
  // A word is typed faster than this: one search for it, not one for each letter.
  waiting = setTimeout(apply, 120);
});
page.filter.addEventListener("change", (event) => { if (event.target !== page.query) apply(); });
page.filter.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(waiting); apply(); });
page.clear.addEventListener("click", () => { page.filter.reset(); apply(); page.query.focus(); });

function facet(group, value, counted, ...label) {
  const box = el("input", "");
  box.type = "checkbox";
  box.name = group;
  box.value = value;
  page[group].append(el("label", "", box, el("span", "what", ...label), el("span", "how-many", number(counted))));
}

function facets() {
  const states = new Map();
  const tools = new Map();
  const marks = new Map();
  const one = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
  for (const call of log.calls.values()) {
    one(states, call.state);
    one(tools, call.tool);
    for (const mark of MARKS.keys()) if (has[mark](call)) one(marks, mark);
  }
  for (const name of STATES.keys()) if (states.has(name)) facet("by-state", name, states.get(name), state(name));
  for (const [name, words] of MARKS) if (marks.has(name)) facet("by-mark", name, marks.get(name), words);
  const order = [...tools].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  for (const [name, counted] of order.slice(0, 200)) facet("by-tool", name, counted, el("code", "", shown(name, 64)));
  for (const group of ["by-state", "by-mark", "by-tool"]) page[group].hidden = page[group].childElementCount < (group === "by-mark" ? 2 : 3);
}

// ---- Keys.

const isText = (node) => node instanceof HTMLInputElement && node.type === "search";

// The calls as they follow one another on the page: those that an open call made stand after it.
const childrenOf = (call) => (isOpen(call) ? call.children.filter((child) => child.row !== undefined) : []);
const lastOf = (call) => { const below = childrenOf(call); return below.length > 0 ? lastOf(below.at(-1)) : call; };
const topFrom = (place, way) => {
  while (place >= 0 && place < visible.length && !visible[place].call) place += way;
  return visible[place]?.call;
};
function after(call) {
  if (childrenOf(call).length > 0) return childrenOf(call)[0];
  for (let at = call; ; at = parentOf(at)) {
    if (at.place !== undefined) return topFrom(at.place + 1, 1);
    const siblings = childrenOf(parentOf(at));
    const next = siblings[siblings.indexOf(at) + 1];
    if (next) return next;
  }
}
function before(call) {
  if (call.place !== undefined) {
    const above = topFrom(call.place - 1, -1);
    return above && lastOf(above);
  }
  const siblings = childrenOf(parentOf(call));
  const above = siblings[siblings.indexOf(call) - 1];
  return above ? lastOf(above) : parentOf(call);
}

function step(way) {
  if (way === "first") return focusCall(topFrom(0, 1));
  if (way === "last") return focusCall(topFrom(visible.length - 1, -1));
  // Coming from elsewhere, the first step leads back to where one was.
  const on = document.activeElement?.closest(".call") && current;
  focusCall(on ? (way === "next" ? after(current) : before(current)) : current);
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || page.keys.open) return;
  const { target, key } = event;
  const onCall = target instanceof Element && target.matches(".open");
  const letters = page.letters.checked && !isText(target);
  if (key === "Escape") {
    if (isText(target)) {
      if (page.query.value !== "") { page.query.value = ""; apply(); } else if (current) focusCall(current);
    } else {
      const call = callOf(target);
      if (!call) return;
      const shut = isOpen(call) ? call : parentOf(call);
      if (shut) { focusCall(shut); setOpen(shut, false); }
    }
  } else if (letters && (key === "j" || key === "k")) step(key === "j" ? "next" : "previous");
  else if (onCall && (key === "ArrowDown" || key === "ArrowUp")) step(key === "ArrowDown" ? "next" : "previous");
  else if (onCall && (key === "Home" || key === "End")) step(key === "Home" ? "first" : "last");
  else if (letters && key === "/") { page.query.focus(); page.query.select(); }
  else if (letters && key === "?") page.keys.showModal();
  else return;
  event.preventDefault();
});

page.help.addEventListener("click", () => page.keys.showModal());

const THEMES = ["system", "light", "dark"];
page.theme.addEventListener("click", () => {
  const root = document.documentElement;
  const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "system") + 1) % THEMES.length];
  if (next === "system") delete root.dataset.theme; else root.dataset.theme = next;
  page.theme.textContent = `Theme: ${next}`;
});

// ---- Start.

// An address in a result is a plain link: it opens beside this page, and is told nothing of it.
links = (url, label) => {
  const link = el("a", "", label);
  link.href = url;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  return link;
};

function masthead() {
  page.title.replaceChildren(shown(log.title === "" ? "Replay" : log.title, 200));
  document.title = `${page.title.textContent} · replay`;
  const timed = (entry) => clock(entry.call ? entry.call.at : entry.at) !== undefined;
  const [from, to] = [log.entries.find(timed), log.entries.findLast(timed)].map((entry) => entry && clock(entry.call ? entry.call.at : entry.at));
  const said = [];
  if (from) said.push(from.slice(0, 10) === to.slice(0, 10) ? `${from.slice(0, 10)}, ${from.slice(11, 19)} to ${to.slice(11, 19)} UTC` : `${from.slice(0, 10)} ${from.slice(11, 16)} to ${to.slice(0, 10)} ${to.slice(11, 16)} UTC`);
  const nested = log.calls.size - top.length;
  said.push(many(top.length, "call") + (nested > 0 ? ` and ${number(nested)} nested` : ""));
  const hosts = [...new Set(log.opens.map((one) => one.host))];
  if (hosts.length > 0) said.push(el("bdi", "", shown(hosts[0], 60), hosts.length > 1 ? ` and ${number(hosts.length - 1)} more` : ""));
  if (log.opens.length > 0) said.push(log.opens.some((one) => one.values) ? "values recorded" : "values not recorded");
  page.facts.replaceChildren(...said.map((one) => el("span", "", one)));
  const trouble = [];
  if (log.flaws > 0) trouble.push(`${log.flaws === 1 ? "One thing is" : `${number(log.flaws)} things are`} wrong with this log; the timeline says what, in place.`);
  if (log.said !== log.items) trouble.push("This page is not whole: its end is missing.");
  page.troubles.replaceChildren(...trouble.map((words) => notice("trouble", "alert", words)));
}

async function start() {
  await breathe();
  let read = 0;
  await each(lines(), (line) => {
    take(line);
    read += 1;
    if (read % 1000 === 0) page.facts.textContent = `Reading the log… ${many(read, "record")}`;
  });
  await breathe();
  arrange();
  facets();
  masthead();
  await breathe();
  // Narrow: the calls come first.
  if (matchMedia("(max-width: 860px)").matches) page.facets.open = false;
  page.none.textContent = top.length === 0 ? "This log has no calls." : "No call is like that.";
  shows(items, true);
  const id = /^#call-(.+)$/.exec(location.hash)?.[1];
  // Until a page is loaded, the browser may go to the place that its address names once more, and take the focus along.
  if (document.readyState !== "complete") await new Promise((loaded) => { addEventListener("load", loaded, { once: true }); });
  if (id !== undefined && !reveal(id)) say(`There is no call ${ID.test(id) ? id : "of that name"} in this log.`);
  performance.mark("ready");
  document.documentElement.dataset.ready = "";
}

start();
