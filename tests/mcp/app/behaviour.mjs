// What the view does beyond drawing: the handshake, the theme, links, the keyboard, strangers, and diffs that are right.

import { settled } from "./drawn.mjs";

const TERMINAL = { card: "terminal", title: "true", output: "one\n", exit: { code: 0 }, timedOut: false };
const WEB = { card: "web", title: "t", results: { search: { truncated: false, sources: [{ url: "https://example.org/a" }, { url: "https://example.org/refused" }] } } };

export async function behaviour({ page, check }) {
  const open = async (options) => {
    const app = await page.evaluate((options) => window.host.open(options), options);
    return { app, view: page.frames().find((frame) => frame !== page.mainFrame() && /\/view$|about:srcdoc/.test(frame.url())) };
  };
  const draw = async (view, card) => {
    await page.evaluate((card) => window.host.card(card), card);
    await page.evaluate(() => window.host.ask("ping"));
    return settled(page, view);
  };
  const seen = () => page.evaluate(() => window.host.seen);
  const change = async (context) => {
    await page.evaluate((context) => window.host.change(context), context);
    await page.evaluate(() => window.host.ask("ping"));
  };
  const style = (view, name, selector = ":root") =>
    view.evaluate(([name, selector]) => getComputedStyle(document.querySelector(selector)).getPropertyValue(name), [name, selector]);

  // The handshake, and requests from the host.
  let { app, view } = await open({});
  check("the view says what it is", app.app.name === "fumehood-card" && JSON.stringify(app.capabilities) === '{"availableDisplayModes":["inline","fullscreen"]}', app);
  const unknown = await page.evaluate(() => window.host.ask("tools/list"));
  check("a request that the view does not know gets an error", unknown.error?.code === -32601 && unknown.result === undefined, unknown);
  const ping = await page.evaluate(() => window.host.ask("ping"));
  check("a ping is answered", JSON.stringify(ping.result) === "{}", ping);

  // The theme: the system's until the host says, then the host's.
  await page.emulateMedia({ colorScheme: "dark" });
  await draw(view, TERMINAL);
  check("without a theme of the host's, the system's holds", (await style(view, "background-color", "main")) === "rgb(28, 28, 30)", await style(view, "background-color", "main"));
  await change({ theme: "light" });
  check("the host's theme wins", (await style(view, "background-color", "main")) === "rgb(255, 255, 255)", await style(view, "background-color", "main"));
  await page.emulateMedia({ colorScheme: "light" });
  await change({ theme: "dark" });
  check("a change of theme is followed", (await style(view, "background-color", "main")) === "rgb(28, 28, 30)", await style(view, "background-color", "main"));
  const pair = { "--color-background-primary": "rgb(1, 2, 3)", "--color-text-primary": "rgb(250, 250, 250)", "--font-mono": "monospace" };
  await change({ styles: { variables: pair } });
  check("the host's colours are taken", (await style(view, "background-color", "main")) === "rgb(1, 2, 3)" && (await style(view, "color", "body")) === "rgb(250, 250, 250)");
  await change({ styles: { variables: { "--color-text-primary": "rgb(28, 28, 30)" } } });
  check("a colour for text without the one behind it is not", (await style(view, "color", "body")) === "rgb(236, 236, 238)", await style(view, "color", "body"));
  await change({ styles: { variables: { "--font-sans": "url(https://example.com/x)", "--color-border-primary": "image-set('https://example.com/x' 1x)" } } });
  check("nothing is fetched for a style", (await style(view, "--font-sans")) === "" && (await style(view, "--color-border-primary")) === "");
  await change({ locale: "de-DE" });
  const german = await draw(view, { card: "search", title: "t", results: { paths: { paths: ["a"], truncated: true, total: 12345 } } });
  check("numbers are written as the person writes them", german.badges[0].text === "truncated: 1 of 12.345 paths", german.badges);
  await change({ safeAreaInsets: { top: 7, right: 0, bottom: 9, left: 0 } });
  const inset = await draw(view, TERMINAL);
  check("the height counts the screen's insets", (await seen()).sizes.at(-1).height === inset.height && (await style(view, "padding-bottom", "body")) === "9px");

  // Links.
  ({ view } = await open({}));
  await draw(view, WEB);
  await view.evaluate(() => document.querySelector("button.link").click());
  await page.evaluate(() => window.host.ask("ping"));
  check("a script's click opens nothing", (await seen()).links.length === 0, await seen());
  await view.locator("button.link").first().click();
  await view.locator("#status", { hasText: "The link was opened." }).waitFor({ state: "attached" });
  check("a click asks the host to open the link", JSON.stringify((await seen()).links) === '["https://example.org/a"]', await seen());
  await view.locator("button.link").nth(1).focus();
  await page.keyboard.press("Enter");
  await view.locator("#status", { hasText: "The link was not opened." }).waitFor({ state: "attached" });
  check("so does the Enter key, and a refusal is told", (await seen()).links.at(-1) === "https://example.org/refused", await seen());
  ({ view } = await open({ openLinks: false }));
  const closed = await draw(view, WEB);
  check("where the host opens no links, there are none", closed.links.length === 0 && closed.text.includes("https://example.org/a"), closed.links);

  // Strangers.
  const forged = { content: [], _meta: { "fumehood/card": { ...TERMINAL, title: "forged" } } };
  ({ view } = await open({}));
  await draw(view, TERMINAL);
  await page.evaluate((forged) => window.host.forge(forged), forged);
  check("another window is not heard", (await settled(page, view)).title === "true", (await settled(page, view)).title);
  await view.evaluate((params) => window.postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params }, "*"), forged);
  await view.evaluate(() => new Promise((resolve) => { addEventListener("message", resolve, { once: true }); postMessage("last", "*"); }));
  check("nor is the view's own", (await settled(page, view)).title === "true", (await settled(page, view)).title);
  check("the parent is", (await draw(view, forged._meta["fumehood/card"])).title === "forged");
  const after = await page.evaluate(async () => { await window.host.teardown(); return window.host.seen.sizes.length; });
  await draw(view, { ...TERMINAL, output: "1\n2\n3\n4\n5\n" });
  check("after its teardown the view reports no size", (await seen()).sizes.length === after, await seen());

  // The keyboard, and what a screen reader is told.
  ({ view } = await open({}));
  await draw(view, { ...TERMINAL, output: Array.from({ length: 100 }, (_, n) => `line ${n + 1}`).join("\n") });
  const more = view.locator("button.more");
  check("a button says that there is more", (await more.getAttribute("aria-expanded")) === "false" && (await more.textContent()) === "Show all 100 lines");
  await more.focus();
  await page.keyboard.press("Space");
  const all = await settled(page, view);
  check("the space bar opens it", all.text.includes("line 100") && (await more.getAttribute("aria-expanded")) === "true");
  check("and the host is told the new height", (await seen()).sizes.at(-1).height === all.height);
  const ring = await style(view, "outline-style", "button.more");
  check("what has the focus shows it", ring === "solid", ring);
  await page.emulateMedia({ reducedMotion: "reduce" });
  ({ view } = await open({}));
  check("nothing moves for those who ask for that", (await style(view, "animation-name", ".pulse")) === "none");
  await page.emulateMedia({ reducedMotion: "no-preference" });
  check("else the waiting state does", (await style(view, "animation-name", ".pulse")) === "pulse");

  // A host that writes the view into its page instead of serving it.
  ({ view } = await open({ srcdoc: true }));
  check("the view works without a server of its own", (await draw(view, TERMINAL)).title === "true");

  // Diffs: the rows lead from the old text to the new one, and no shorter way exists.
  ({ view } = await open({}));
  let state = 20260126;
  const random = (below) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % below; };
  const wrong = [];
  for (let round = 0; round < 30; round += 1) {
    const lines = (most) => Array.from({ length: random(most) }, () => "abcd"[random(4)]);
    const [before, after] = [lines(25), lines(25)];
    const text = (all) => all.map((one) => `${one}\n`).join("");
    await draw(view, { card: "diff", title: "t", diffs: [{ path: "p", old: text(before), new: text(after) }] });
    // Opened first, where there are more rows than are shown.
    for (const button of await view.locator("button.more").all()) await button.click();
    const rows = await view.evaluate(() => [...document.querySelectorAll(".row.edit, .rows > .gap, .file > .rows > .gap")].map((row) => row.classList.contains("gap")
      ? { gap: Number.parseInt(row.textContent, 10) }
      : { sign: row.querySelector(".sign").textContent, old: Number(row.querySelector(".old").textContent), now: Number(row.querySelector(".new").textContent), text: row.querySelector("code").textContent }));
    const why = unlike(before, after, rows);
    if (why) wrong.push(`${before.join("")} to ${after.join("")}: ${why}`);
  }
  check("diffs are right and shortest", wrong.length === 0, wrong.slice(0, 3).join("; "));
}

/** What is wrong with the rows of a diff, if anything. */
function unlike(before, after, rows) {
  if (before.join() === after.join()) return rows.some((row) => row.sign) ? "rows without a change" : null;
  let [i, j, edits] = [0, 0, 0];
  for (const { gap, sign, old, now, text } of rows) {
    if (gap) {
      for (let n = 0; n < gap; n += 1, i += 1, j += 1) if (before[i] !== after[j]) return "a gap hides a change";
      continue;
    }
    if (sign !== "+" && (text !== before[i] || old !== i + 1)) return `row ${JSON.stringify(text)} is not line ${i + 1} of the old text`;
    if (sign !== "−" && (text !== after[j] || now !== j + 1)) return `row ${JSON.stringify(text)} is not line ${j + 1} of the new text`;
    if (sign !== "+") i += 1;
    if (sign !== "−") j += 1;
    if (sign.trim()) edits += 1;
  }
  if (i !== before.length || j !== after.length) return "lines are missing";
  // The longest common subsequence, the slow way.
  const best = Array.from({ length: before.length + 1 }, () => new Array(after.length + 1).fill(0));
  for (let a = 1; a <= before.length; a += 1) for (let b = 1; b <= after.length; b += 1) best[a][b] = before[a - 1] === after[b - 1] ? best[a - 1][b - 1] + 1 : Math.max(best[a - 1][b], best[a][b - 1]);
  const least = before.length + after.length - 2 * best[before.length][after.length];
  return edits === least ? null : `${edits} edits where ${least} are enough`;
}
