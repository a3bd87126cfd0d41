// A log of 10,000 calls.

import { CARDS, Log } from "./log.mjs";

const CALLS = 10000;
const TOOLS = ["grep", "read", "edit", "shell", "web_search", "memory_add"];

/** Some 40 MB: each call with a card and two or three kilobytes of text; every fiftieth fails, every hundredth makes a call. */
export function long(calls = CALLS) {
  const log = new Log();
  const cards = [CARDS.search, CARDS.read, CARDS.diff, CARDS.terminal, CARDS.web, CARDS.generic];
  for (let n = 0; n < calls; n += 1) {
    const kind = n % TOOLS.length;
    const id = log.call(TOOLS[kind], { n, path: `src/module_${n % 97}/file_${n}.rs`, pattern: "greeting" }, { title: "A tool" });
    if (n % 50 === 49) log.start(id).fail(id, 12, "failed", "TOOL_FAILED", `could not do number ${n}`);
    else {
      if (n % 100 === 0) log.succeed(log.call("grep", {}, { parent: id }), 3, { text: "nested" });
      log.succeed(id, 3 + n % 700, { text: Array.from({ length: 30 }, (_, at) => `src/file_${n}.rs:${at + 1}: a line of what number ${n} found, long enough to be one`).join("\n"), card: { ...cards[kind], title: `${cards[kind].title} (${n})` },
        decisions: [{ allowed: true, capability: "filesystem", target: "/", rule: "mount ./work:/ (read)" }] });
    }
  }
  return log.text();
}

// Two screens before and after, in batches of fifty, and the batches of the call one is at and of one that is open.
const MOST_ROWS = 350;

export async function many({ open, check, quick }) {
  const calls = quick ? 2000 : CALLS;
  const log = long(calls);
  const page = await open(log, { name: "long" });
  const said = `${calls / 1000},000 calls`;
  const rows = () => page.locator("#calls .batch > .call").count();
  const height = () => page.evaluate(() => document.getElementById("calls").getBoundingClientRect().height);
  const focused = () => page.evaluate(() => { const { top, bottom } = document.activeElement.getBoundingClientRect(); return [document.activeElement.closest(".call")?.id, top >= 0 && bottom <= innerHeight].join(); });
  check(`${said} are told`, (await page.locator("#status").textContent()) === said);
  check("of which those near the screen are drawn", (await rows()) >= 50 && (await rows()) <= MOST_ROWS, await rows());
  const each = await page.locator(".batch > .call").first().evaluate((row) => row.getBoundingClientRect().height);
  // Each call, the day's row and the opening's.
  check("and the others have their place: the scroll bar does not lie", Math.abs((await height()) / (each * (calls + 2)) - 1) < 0.01, [await height(), each]);
  const place = await page.locator("#call-1").evaluate((row) => [row.getAttribute("aria-posinset"), row.getAttribute("aria-setsize")].join());
  check("and their number in the list", place === `3,${calls + 2}`, place);
  await page.keyboard.press("j");
  await page.keyboard.press("End");
  check("the last call is one key away", (await focused()) === `call-${calls},true`, await focused());
  check("and what was left is not drawn any more, but for where one was", (await rows()) <= MOST_ROWS, await rows());
  await page.keyboard.press("Enter");
  check("it opens", (await page.locator(`#detail-${calls}`).count()) === 1);
  await page.keyboard.press("Home");
  await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
  check("and stays open while one is elsewhere", (await focused()) === "call-1,true" && (await page.locator(`#detail-${calls}`).count()) === 1, await focused());
  for (let n = 0; n < 130; n += 1) await page.keyboard.press("j");
  check("keys go over what is drawn as they come", (await focused()) === "call-131,true", await focused());
  await page.evaluate(() => document.getElementById("calls").scrollIntoView({ block: "end" }));
  await page.locator(`#call-${calls - 10}`).waitFor();
  await page.evaluate(() => { window.scrollTo(0, document.documentElement.scrollHeight / 2); });
  await page.waitForFunction(() => document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest(".call") !== null);
  check("wherever one scrolls, there are rows", (await rows()) <= MOST_ROWS, await rows());
  await page.locator("#query").fill('"number 1777"');
  await page.locator("#query").press("Enter");
  await page.locator("#status", { hasText: `1 of ${said}` }).waitFor({ timeout: 60000 });
  check("one in all is found by what the model read", (await page.locator("#call-1778").isVisible()) && (await height()) < 100, await height());
  await page.locator("#clear").click();
  await page.locator("#status", { hasText: new RegExp(`^${said}$`) }).waitFor();
  check("and all are back", (await height()) > each * calls);
  const deep = await open(log, { name: "long", hash: `#call-${calls - 999}.1` });
  check("an address leads far down", (await deep.evaluate(() => document.activeElement.closest(".call")?.id)) === `call-${calls - 999}.1`);
  const seen = await deep.evaluate((id) => { const { top } = document.getElementById(id).getBoundingClientRect(); return top >= 0 && top < innerHeight; }, `call-${calls - 999}.1`);
  check("to what is then in sight", seen);
}

/** Prints what opening, scrolling, searching and opening a call took. Nothing is held against a bound here. */
export async function measure({ open }) {
  const text = long();
  console.log(`==> log: ${(text.length / 1e6).toFixed(1)} MB, ${text.split("\n").length - 1} records`);
  for (let round = 1; round <= 3; round += 1) {
    const page = await open(text, { name: "long", init: () => {
      window.tasks = [];
      new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((one) => one.duration))).observe({ type: "longtask", buffered: true });
      const ready = new MutationObserver(() => { if (document.documentElement?.dataset.ready !== undefined) { window.readyAt = performance.now(); ready.disconnect(); } });
      ready.observe(document, { attributes: true, subtree: true, childList: true });
    } });
    const since = async (what, act) => {
      await page.evaluate(() => { window.tasks.length = 0; window.frames_ = []; let before = performance.now(); const tick = (now) => { window.frames_.push(now - before); before = now; window.ticking = requestAnimationFrame(tick); }; window.ticking = requestAnimationFrame(tick); });
      const began = Date.now();
      await act();
      await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve, 100)); }));
      const { tasks, frames } = await page.evaluate(() => { cancelAnimationFrame(window.ticking); return { tasks: window.tasks, frames: window.frames_.slice(1) }; });
      console.log(`==> ${round}: ${what}: ${Date.now() - began - 100} ms, longest task ${Math.round(Math.max(0, ...tasks))} ms, longest frame ${Math.round(Math.max(0, ...frames))} ms, of ${frames.length}`);
    };
    const opened = await page.evaluate(() => ({
      paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime, ready: window.readyAt, tasks: window.tasks, parsed: performance.getEntriesByType("navigation")[0].domInteractive, heap: performance.memory?.usedJSHeapSize,
    }));
    console.log(`==> ${round}: opened: first paint ${Math.round(opened.paint)} ms, read ${Math.round(opened.parsed)} ms, ready ${Math.round(opened.ready)} ms, ${opened.tasks.length} tasks over 50 ms, longest ${Math.round(Math.max(0, ...opened.tasks))} ms, heap ${(opened.heap / 1e6).toFixed(0)} MB`);
    await since("scrolled through, 200 wheel turns", async () => { await page.mouse.move(700, 500); for (let n = 0; n < 200; n += 1) await page.mouse.wheel(0, 1700); });
    await since("a call opened", () => page.locator("#calls .call .open").first().click());
    await since("first search", async () => { await page.locator("#query").fill("7777"); await page.locator("#status", { hasText: " of 10,000" }).waitFor(); });
    await since("second search", async () => { await page.locator("#query").fill("number 1234"); await page.locator("#status", { hasText: /^\d+ of 10,000/ }).waitFor(); });
    await since("filters cleared", async () => { await page.locator("#clear").click(); await page.locator("#status", { hasText: /^10,000/ }).waitFor(); });
    await since("a filter", async () => { await page.locator('#by-tool input[value="grep"]').click(); await page.locator("#status", { hasText: " of 10,000" }).waitFor(); });
    await since("a thousand keys", async () => { await page.locator("#query").blur(); for (let n = 0; n < 1000; n += 1) await page.keyboard.press("j"); });
    const heap = await page.evaluate(() => performance.memory?.usedJSHeapSize);
    console.log(`==> ${round}: heap at the end ${(heap / 1e6).toFixed(0)} MB`);
  }
}
