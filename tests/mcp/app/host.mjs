// The host's side, on the extension's AppBridge: it validates whatever the view sends.

import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

// A fixture may say `{"$repeat": "line {n}\n", "times": 100000}` for a text, `{"$list": {…}, "times": 9}` for a list
// ("{n}" alone is a number), and `{"$deep": 2000}` for so many nested lists and objects.
function grown(key, value) {
  if (typeof value !== "object" || value === null) return value;
  if (Object.hasOwn(value, "$repeat")) return Array.from({ length: value.times }, (_, n) => value.$repeat.replaceAll("{n}", n + 1)).join("");
  if (Object.hasOwn(value, "$list")) {
    const item = JSON.stringify(value.$list);
    return Array.from({ length: value.times }, (_, n) => JSON.parse(item.replaceAll('"{n}"', n + 1).replaceAll("{n}", n + 1)));
  }
  if (Object.hasOwn(value, "$deep")) {
    let inner = "the bottom";
    for (let depth = 0; depth < value.$deep; depth += 1) inner = depth % 2 ? [inner] : { deeper: inner };
    return inner;
  }
  return value;
}

// A view that does not answer fails the check instead of stopping it: thirty times what a busy machine needs.
const within = (what, promise) => Promise.race([
  promise,
  new Promise((_, reject) => { setTimeout(() => reject(new Error(`the view does not answer: ${what}`)), 15000); }),
]);

let bridge = null;
let frame = null;
let asked = null;

// Before any bridge listens: an answer to a request of ours is not the bridge's to see.
window.addEventListener("message", (event) => {
  if (!asked || event.source !== frame?.contentWindow || event.data?.id !== asked.id) return;
  event.stopImmediatePropagation();
  asked.resolve(event.data);
  asked = null;
});

window.host = {
  /** What the view asked of the host since it was opened. */
  seen: null,
  canary: 0,

  /** Puts a new view in the page, and waits for its handshake. */
  async open({ context = {}, openLinks = true, srcdoc = false } = {}) {
    await bridge?.close();
    frame?.remove();
    frame = document.createElement("iframe");
    // No allow-same-origin: the view's origin is opaque, and the host's page out of its reach.
    frame.setAttribute("sandbox", "allow-scripts");
    frame.title = "card";
    const seen = { sizes: [], links: [], errors: [], others: [] };
    window.host.seen = seen;
    const html = srcdoc ? await (await fetch("/view")).text() : null;
    document.body.append(frame);
    bridge = new AppBridge(null, { name: "stand-in", version: "1.0.0" }, openLinks ? { openLinks: {} } : {}, { hostContext: context });
    bridge.onerror = (error) => seen.errors.push(String(error));
    bridge.onsizechange = (size) => {
      seen.sizes.push(size);
      if (size.height !== undefined) frame.style.height = `${size.height}px`;
    };
    bridge.onopenlink = async ({ url }) => {
      seen.links.push(url);
      return url.includes("refused") ? { isError: true } : {};
    };
    for (const name of ["message", "calltool", "readresource", "requestdisplaymode", "updatemodelcontext", "downloadfile"]) {
      bridge[`on${name}`] = async () => { seen.others.push(name); return {}; };
    }
    const ready = new Promise((resolve) => { bridge.oninitialized = resolve; });
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
    if (html === null) frame.src = "/view";
    else frame.srcdoc = html;
    await within("the handshake", ready);
    return { app: bridge.getAppVersion(), capabilities: bridge.getAppCapabilities() };
  },

  /** Sends what a fixture holds, in the order of the extension. */
  async play(name) {
    const fixture = JSON.parse(await (await fetch(`/cards/${name}.json`)).text(), grown);
    if (fixture.partial) await bridge.sendToolInputPartial({ arguments: fixture.partial });
    if (fixture.input) await bridge.sendToolInput({ arguments: fixture.input });
    for (const message of fixture.raw ?? []) frame.contentWindow.postMessage(message, "*");
    if (fixture.result) await bridge.sendToolResult(fixture.result);
    if (fixture.cancelled !== undefined) await bridge.sendToolCancelled({ reason: fixture.cancelled });
  },

  /** One card, as a tool's result carries it. */
  card: (card) => bridge.sendToolResult({ content: [], _meta: { "fumehood/card": card } }),
  change: (context) => bridge.sendHostContextChange(context),
  teardown: () => bridge.teardownResource({}),

  /** A request that the library does not make: answers with the view's answer. */
  ask: (method) => within(method, new Promise((resolve) => {
    asked = { id: `asked-${method}`, resolve };
    frame.contentWindow.postMessage({ jsonrpc: "2.0", id: asked.id, method, params: {} }, "*");
  })),

  /** The same result from a window that is not the view's parent, then a request from the parent: the answer comes after both. */
  async forge(result) {
    const other = document.createElement("iframe");
    other.hidden = true;
    document.body.append(other);
    const index = [...document.querySelectorAll("iframe")].indexOf(frame);
    const message = JSON.stringify({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: result });
    // A message's source is the window whose code sends it.
    other.contentWindow.eval(`parent.frames[${index}].postMessage(${message}, "*")`);
    const answer = await window.host.ask("ping");
    other.remove();
    return answer;
  },
};
document.documentElement.dataset.ready = "";
