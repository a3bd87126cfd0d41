// The view of an MCP host: one call's card, and the protocol by which the host hands it over. The drawing stands above.

// ---- The page.

const frame = (card) => put(framed(card));

function put({ nodes, headline, busy, words }) {
  headline.id = "title";
  const main = document.getElementById("card");
  main.replaceChildren(...nodes);
  main.setAttribute("aria-busy", String(busy));
  say(words);
}

// For those who do not see the page.
function say(words) { document.getElementById("status").textContent = words; }

// A link leads through the host.
function throughTheHost(url, label) {
  const button = el("button", "", label);
  button.type = "button";
  button.setAttribute("role", "link");
  button.addEventListener("click", (event) => {
    if (!event.isTrusted) return;
    request("ui/open-link", { url }).then(
      (answer) => say(isObject(answer) && answer.isError === true ? "The link was not opened." : "The link was opened."),
      () => say("The link was not opened."),
    );
  });
  return button;
}

// ---- A call, from waiting to its end.

const CARD_KEY = "fumehood/card";
let context = {};
let ended = false;

// What the host says the tool is called: shown, never looked at.
function toolTitle() {
  const tool = isObject(context.toolInfo) && isObject(context.toolInfo.tool) ? context.toolInfo.tool : {};
  const annotated = isObject(tool.annotations) ? tool.annotations.title : undefined;
  return [tool.title, annotated, tool.name].find((one) => typeof one === "string" && one !== "");
}

function waiting(input) {
  if (ended) return;
  afresh();
  const given = isObject(input) && typeof input.title === "string" && input.title !== "" ? input.title : undefined;
  const body = isObject(input) && Object.keys(input).length > 0 ? [section("Input", ...jsonBlock(input))] : [];
  frame({ label: "Working", title: shown(toolTitle() ?? given ?? "Waiting for the result", MOST_TITLE), body, busy: true });
}

// What there is to read without a card. It must not fail in turn.
function plain(result) {
  try {
    const blocks = contentBlocks(isObject(result) ? result.content : undefined, "content");
    return blocks.length ? [section(null, ...blocks)] : [note("No output.")];
  } catch {
    return [note("There is no content that can be shown.")];
  }
}

function notice(words, result) {
  frame({ symbol: "alert", label: "Result", title: shown(toolTitle() ?? "Tool result", MOST_TITLE), badges: [badge("warn", "not drawn")],
    body: [section(null, el("div", "alert", words)), ...plain(result)] });
}

function failed(result) {
  const blocks = Array.isArray(result.content) ? result.content : [];
  const words = blocks.filter((one) => isObject(one) && one.type === "text" && typeof one.text === "string").slice(0, MOST_TEXTS);
  const body = words.length ? words.map((one) => section(null, ...proseBlock(one.text, "prose failure"))) : [note("The failure came without a text.")];
  frame({ symbol: "alert", label: "Result", title: shown(toolTitle() ?? "The tool failed", MOST_TITLE), badges: [badge("bad", "failed")], body });
}

function finished(result) {
  ended = true;
  afresh();
  if (!isObject(result)) return notice("The host sent a result that is not an object.", result);
  if (result.isError === true) return failed(result);
  const card = isObject(result._meta) && Object.hasOwn(result._meta, CARD_KEY) ? result._meta[CARD_KEY] : undefined;
  if (card === undefined) {
    return frame({ symbol: "other", label: "Result", title: shown(toolTitle() ?? "Tool result", MOST_TITLE), body: plain(result) });
  }
  try {
    return put(drawCard(card));
  } catch (error) {
    afresh();
    if (error instanceof UnknownCard) {
      const name = error.kind === undefined ? "" : [": ", el("bdi", "", shown(error.kind, 60))];
      return notice(el("span", "", "This result has a card of a kind that is not known here", name, ". Its text follows."), result);
    }
    // The place is made of the drawing's own words and of numbers.
    const why = error instanceof Malformed ? `: ${error.message}` : "";
    return notice(`This result has a card that cannot be drawn${why}. Its text follows.`, result);
  }
}

function cancelled(reason) {
  if (ended) return;
  ended = true;
  afresh();
  const words = typeof reason === "string" && reason !== "" ? proseBlock(reason) : [el("div", "note", "The call was cancelled.")];
  frame({ symbol: "alert", label: "Result", title: shown(toolTitle() ?? "Cancelled", MOST_TITLE), badges: [badge("warn", "cancelled")], body: [section(null, ...words)] });
}

// ---- The host's look.

const VARIABLE = /^--(?:color|font|border-radius)-[a-z0-9-]{1,40}$/;
const applied = new Set();

function applyStyle(variables) {
  const root = document.documentElement.style;
  for (const name of applied) root.removeProperty(name);
  applied.clear();
  if (!isObject(variables)) return;
  const value = (name) => (Object.hasOwn(variables, name) && typeof variables[name] === "string" ? variables[name] : undefined);
  for (const name of Object.keys(variables)) {
    // A colour for text without the one behind it, or the other way round, may leave nothing to read.
    const [, side, tone] = /^--color-(text|background)-([a-z]+)$/.exec(name) ?? [];
    const other = side && value(`--color-${side === "text" ? "background" : "text"}-${tone}`);
    const paired = !side || other !== undefined || !["primary", "secondary", "info", "success", "danger", "warning"].includes(tone);
    const given = value(name);
    // A value is a colour, a size or font names: nothing that is fetched. 200 characters hold the longest font list.
    if (!VARIABLE.test(name) || given === undefined || given.length > 200 || /url\(|image|\\/i.test(given) || !paired) continue;
    root.setProperty(name, given);
    applied.add(name);
  }
}

// Fonts in `styles.css` would have to be fetched, and nothing is.
function applyContext(update) {
  if (!isObject(update)) return;
  context = { ...context, ...update };
  const root = document.documentElement;
  if (update.theme === "light" || update.theme === "dark") root.dataset.theme = update.theme;
  applyStyle(isObject(context.styles) ? context.styles.variables : undefined);
  const insets = isObject(context.safeAreaInsets) ? context.safeAreaInsets : {};
  for (const side of ["top", "right", "bottom", "left"]) {
    const inset = insets[side];
    // 200 px is more than any screen's notch.
    document.body.style.setProperty(`padding-${side}`, Number.isFinite(inset) && inset > 0 ? `${Math.min(inset, 200)}px` : "0");
  }
  if (typeof context.locale === "string") {
    try { numbers = new Intl.NumberFormat(context.locale); } catch { numbers = new Intl.NumberFormat("en"); }
  }
}

// ---- The protocol.

const pending = new Map();
let lastId = 0;

// The origin of the host is not known, and nothing that is sent is secret: sizes, and addresses that a person chose.
const send = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
function request(method, params) {
  lastId += 1;
  const id = lastId;
  send({ id, method, params });
  return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
}

let height = 0;
const watch = new ResizeObserver(() => {
  // Only the height: the width is the host's, and a card fits any.
  const now = Math.ceil(document.body.getBoundingClientRect().height);
  if (now === height) return;
  height = now;
  send({ method: "ui/notifications/size-changed", params: { height } });
});

const NOTIFICATIONS = new Map(Object.entries({
  "ui/notifications/tool-input": (params) => waiting(isObject(params) ? params.arguments : undefined),
  "ui/notifications/tool-input-partial": (params) => waiting(isObject(params) ? params.arguments : undefined),
  "ui/notifications/tool-result": finished,
  "ui/notifications/tool-cancelled": (params) => cancelled(isObject(params) ? params.reason : undefined),
  "ui/notifications/host-context-changed": applyContext,
}));
const REQUESTS = new Map(Object.entries({
  ping: () => ({}),
  "ui/resource-teardown": () => { watch.disconnect(); return {}; },
}));

function receive(message) {
  if (!isObject(message) || message.jsonrpc !== "2.0") return;
  const { id, method } = message;
  if (typeof method !== "string") {
    const waiter = pending.get(id);
    if (!waiter) return;
    pending.delete(id);
    if (Object.hasOwn(message, "result")) waiter.resolve(message.result);
    else waiter.reject(message.error);
  } else if (id !== undefined) {
    const answer = REQUESTS.get(method);
    if (answer) send({ id, result: answer() });
    else send({ id, error: { code: -32601, message: "This view does not know that method." } });
  } else {
    NOTIFICATIONS.get(method)?.(message.params);
  }
}

function start() {
  waiting();
  if (window.parent === window) return notice("This page draws results inside an MCP host. There is none here.", { content: [] });
  window.addEventListener("message", (event) => {
    if (event.source !== window.parent) return;
    try {
      receive(event.data);
    } catch {
      notice("The host sent a message that cannot be read.", { content: [] });
    }
  });
  request("ui/initialize", {
    appInfo: { name: "fumehood-card", title: "Fumehood card", version: "1.0.0" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    protocolVersion: "2026-01-26",
  }).then((answer) => {
    if (!isObject(answer)) throw new Malformed("not an object");
    links = isObject(answer.hostCapabilities) && isObject(answer.hostCapabilities.openLinks) ? throughTheHost : null;
    applyContext(answer.hostContext);
    waiting();
    watch.observe(document.body);
    send({ method: "ui/notifications/initialized" });
  }).catch(() => { if (!ended) notice("The host did not accept this view.", { content: [] }); });
}

start();
