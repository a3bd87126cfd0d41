// A log whose every text was chosen by somebody who means harm.

import { readFileSync, readdirSync } from "node:fs";

import { Log } from "./log.mjs";
import { row, seen, toggle } from "./shows.mjs";

const MARKUP = "</script><script>window.canary++</script><img src=x onerror=window.canary++><svg onload=window.canary++></svg><!--<script>";
const HIDDEN = "\u202etxt.exe\u202c\u2028\u2029\u200b\u0007\u001b[2J\u001b]8;;javascript:alert(1)\u001b\\";
const PROTO = '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "toString": "x", "__proto__": 2}';

const TAGS = new Set("HEADER SEARCH MAIN H1 H2 H3 H4 H5 H6 P DIV SPAN SECTION CODE B BDI BUTTON A IMG AUDIO TIME UL LI DL DT DD TABLE THEAD TBODY TR TH TD DETAILS SUMMARY FORM FIELDSET LEGEND LABEL INPUT KBD DIALOG NOSCRIPT SCRIPT svg path".split(" "));
const ATTRIBUTES = new Set(("id class dir lang role title type hidden alt decoding src controls preload d viewBox href target rel for name value style tabindex datetime scope open method " +
  "autocomplete placeholder spellcheck checked " +
  "data-batch aria-posinset aria-setsize aria-hidden aria-expanded aria-label aria-labelledby aria-busy aria-controls aria-describedby aria-keyshortcuts aria-haspopup").split(" "));

export async function hostile({ open, check }) {
  const log = new Log({ values: true });
  const bad = `${MARKUP}${HIDDEN}`;
  log.add({ event: "open", form: 1, host: bad, values: true });
  // A failure, with a hostile text in each field.
  let id = log.call(bad.slice(0, 60), bad, { title: bad, provider: { component: { name: bad, version: bad, digest: `sha256:${"0".repeat(64)}` } } });
  log.start(id).fail(id, 1, "failed", "TOOL_FAILED", bad, { details: { [bad]: bad, list: [bad] }, usage: { [bad]: 1, __proto__x: 2, "wall-clock-ms": 1 }, content: [{ type: "text", text: bad }, { type: "resource_link", uri: "javascript:window.canary++", name: bad, title: bad, description: bad }, { type: "resource", resource: { uri: "file:///etc/passwd", mimeType: bad, text: bad } }],
    reviews: [{ reviewer: bad, verdict: "value" }, { reviewer: "__proto__", verdict: "block" }], decisions: [{ allowed: false, capability: null, target: bad, rule: bad }, { allowed: true, capability: "http", target: bad, rule: bad }] });
  // A success: keys of prototypes, links that lie, a locator.
  id = log.call("__proto__", PROTO, { title: "constructor", provider: { mounted: { origin: bad } } });
  log.succeed(id, 1, { text: "x", value: JSON.parse(PROTO), spilled: { locator: bad, bytes: 10, omitted: 4 }, usage: JSON.parse('{"__proto__": 7, "constructor": 8}'),
    card: { card: "generic", title: bad, input: JSON.parse(PROTO), body: [{ type: "text", text: bad }] } });
  id = log.call("web", {});
  log.succeed(id, 1, { text: "x", card: { card: "web", title: bad, results: { search: { truncated: false, answer: bad, sources: ["javascript:window.canary++", "data:text/html,<script>window.canary++</script>", "https://user:pass@evil.example/", "https://ok.example/<script>", "HTTPS://\u0430pple.com/", "blob:null/1", "file:///etc/passwd", "//evil.example"].map((url) => ({ url, title: bad, snippet: bad, published: bad })) } } } });
  id = log.call("unknown", { a: bad });
  log.succeed(id, 1, { text: bad, card: { card: bad, title: bad, html: "<b>hi</b>" } });
  id = log.call("unknown", {});
  log.succeed(id, 1, { text: "beside it", card: { card: "__proto__", title: "t" } });
  id = log.call("unknown", {});
  log.succeed(id, 1, { text: "beside it", card: { card: "terminal", title: 7 } });
  id = log.call("media", {});
  log.succeed(id, 1, { content: [{ type: "image", mimeType: "image/svg+xml", data: Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='window.canary++'/>").toString("base64") }, { type: "image", mimeType: "text/html", data: Buffer.from("<script>window.canary++</script>").toString("base64") }] });
  const page = await open(log.text(), { name: "hostile" });
  for (const button of await page.locator("#calls .batch > .call > .bar .open").all()) await button.click();
  for (const summary of await page.locator(".raw > summary").all()) await summary.click();
  await page.waitForFunction(() => [...document.querySelectorAll(".raw[open]")].every((one) => one.querySelector(".code")));

  const state = () => page.evaluate(() => ({
    canary: window.canary, polluted: "polluted" in {}, tags: [...new Set([...document.body.querySelectorAll("*")].map((node) => node.tagName))],
    attributes: [...new Set([...document.body.querySelectorAll("*")].flatMap((node) => node.getAttributeNames()))],
    links: [...document.querySelectorAll("#calls a.link")].map((node) => node.getAttribute("href")), scripts: document.scripts.length, media: document.querySelectorAll("img, audio").length,
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  }));
  const all = await state();
  check("hostile: nothing of the log ran", all.canary === 0, all.canary);
  check("hostile: prototypes are left alone", !all.polluted);
  check("hostile: the page is made of known elements", all.tags.every((tag) => TAGS.has(tag)), all.tags.filter((tag) => !TAGS.has(tag)));
  check("hostile: and of known attributes", all.attributes.every((one) => ATTRIBUTES.has(one)), all.attributes.filter((one) => !ATTRIBUTES.has(one)));
  check("hostile: it has its own script and no other", all.scripts === 1, all.scripts);
  check("hostile: no document passes for a picture", all.media === 0, all.media);
  check("hostile: only web addresses are links", JSON.stringify([...new Set(all.links)]) === JSON.stringify(["https://ok.example/%3Cscript%3E", "https://xn--pple-43d.com/"]), all.links);
  check("hostile: nothing pushes past the right edge", all.wide <= 0, `${all.wide} px`);

  const first = await seen(page, 1);
  const marks = await row(page, 1).locator(".mark").allTextContents();
  for (const mark of ["⟦U+202E⟧", "⟦U+2028⟧", "⟦U+2029⟧", "⟦U+200B⟧", "⟦U+0007⟧", "⟦ESC[2J⟧"]) check(`hostile: ${mark} is written out`, marks.includes(mark), [...new Set(marks)]);
  const times = first.text.split("</script><script>window.canary++</script>").length - 1;
  check("hostile: texts are there as text, in every field", times >= 14, times);
  check("hostile: control characters are nowhere in what is seen", !/[\u202e\u2028\u2029\u200b\u0007\u001b]/.test(await page.locator("body").innerText()));
  check("hostile: a limit may be called anything", first.usage.length === 3, first.usage);
  const second = await seen(page, 2);
  check("hostile: keys are data", second.text.includes('"__proto__": {') && second.text.includes('"__proto__": 2') && second.usage.some(([key]) => key === "__proto__"), second.usage);
  for (const id of [4, 5, 6]) {
    const one = await seen(page, id);
    check(`hostile: call ${id} has the generic card, and says why`, one.cards.length === 1 && one.cards[0].label === "Tool" && one.cards[0].title === "unknown" && /is of a kind that is not known here|cannot be drawn: title is not a text/.test(one.notices.join()), one);
    const words = await row(page, id).locator(".card").innerText();
    check(`hostile: call ${id} has its arguments and its content in that card`, /Input\n[^]*Output\n/.test(words) && (id === 4 || words.includes("beside it")), words.slice(0, 300));
  }
  for (const mark of await page.locator("#facets code").allTextContents()) check(`hostile: the filter ${mark.slice(0, 20)} is text`, !mark.includes("\u202e"));

  // The view's own fixtures: the same hostile cards, in a log.
  const cards = new Log();
  const folder = new URL("../mcp/app/cards/", import.meta.url);
  const names = readdirSync(folder).filter((name) => /^(?:hostile|malformed|rough|unknown)/.test(name));
  let many = 0;
  for (const name of names) {
    const { result } = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
    // A log holds no lone surrogate: a line with one is no JSON to the host.
    const card = JSON.parse(JSON.stringify(result?._meta?.["fumehood/card"] ?? null).replace(/\\ud[89a-f][0-9a-f]{2}/gi, "\\ufffd"));
    if (!card || JSON.stringify(card).includes('"$')) continue;
    many += 1;
    const id = cards.call("t", {});
    cards.succeed(id, 1, { text: "Beside the card.", card });
  }
  check("hostile: there are cards to draw", many > 5, many);
  const drawn = await open(cards.text(), { name: "cards" });
  for (let id = 1; id <= many; id += 1) {
    await toggle(drawn, id);
    const one = await seen(drawn, id);
    check(`hostile: card ${id} is drawn, or the generic one with a note`, one.cards.length === 1 && one.cards[0].title !== "", one.cards);
  }
  const after = await drawn.evaluate(() => [window.canary, "polluted" in {}, [...document.querySelectorAll("#calls a.link")].every((node) => /^https?:\/\/[^@]+$/.test(node.href))]);
  check("hostile: none of them ran, and none links elsewhere", JSON.stringify(after) === "[0,false,true]", after);
}
