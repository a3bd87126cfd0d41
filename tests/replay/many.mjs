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

/**
 * Prints what opening, scrolling, searching and opening a call took. Nothing is held against a bound here. The longest task
 * is told twice: as it was, and as processor time, which other work on the machine does not lengthen.
 */
export async function measure({ open }) {
  const text = long();
  console.log(`==> log: ${(text.length / 1e6).toFixed(1)} MB, ${number(text.split("\n").length - 1)} records`);
  for (let round = 1; round <= 3; round += 1) {
    const say = (what, ...words) => console.log(`==> ${round}: ${what}: ${words.join(", ")}`);
    let opening;
    const page = await open(text, { name: "long", before: async (tab) => { opening = await traced(tab); } });
    await page.waitForLoadState("load");
    const { paint, ready } = await page.evaluate(() => ({ paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime, ready: performance.getEntriesByName("ready")[0].startTime }));
    const longest = await opening();
    say("opened", `first paint ${Math.round(paint)} ms`, `ready ${Math.round(ready)} ms`, longest, await heap(page));
    const since = async (what, act) => {
      const end = await traced(page);
      const began = Date.now();
      await act();
      await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
      const took = Date.now() - began;
      say(what, `${number(took)} ms`, await end());
    };
    const told = (words) => page.locator("#status", { hasText: words }).waitFor();
    await since("200 turns of the wheel, from top to bottom", async () => { await page.mouse.move(700, 500); for (let n = 0; n < 200; n += 1) await page.mouse.wheel(0, 1700); });
    await since("a call opened", () => page.locator("#calls .call .open").first().click());
    await since("the first search", async () => { await page.locator("#query").fill("7777"); await told(/^\d+ of 10,000/); });
    await since("the next", async () => { await page.locator("#query").fill('"number 1234"'); await told(/^1 of 10,000/); });
    await since("the search cleared", async () => { await page.locator("#clear").click(); await told(/^10,000/); });
    await since("a filter", async () => { await page.locator('#by-tool input[value="grep"]').click(); await told(" of 10,000"); });
    await since("200 times j", async () => { await page.locator("#query").blur(); for (let n = 0; n < 200; n += 1) await page.keyboard.press("j"); });
    say("at the end", await heap(page));
  }
}

const number = (value) => value.toLocaleString("en");
const heap = async (page) => `${Math.round(await page.evaluate(() => performance.memory.usedJSHeapSize) / 1e6)} MB of heap`;

/** From now on the tasks of the page are written down; answers with what ends that and tells the longest. */
async function traced(page) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", { categories: "toplevel,disabled-by-default-devtools.timeline,blink.user_timing,__metadata", transferMode: "ReportEvents" });
  return async () => {
    const done = new Promise((resolve) => { session.once("Tracing.tracingComplete", resolve); });
    await session.send("Tracing.end");
    await done;
    await session.detach();
    const mains = new Set(events.filter((one) => one.name === "thread_name" && one.args.name === "CrRendererMain").map((one) => `${one.pid} ${one.tid}`));
    const tasks = events.filter((one) => one.ph === "X" && one.name === "RunTask" && mains.has(`${one.pid} ${one.tid}`));
    const most = (key) => Math.round(Math.max(0, ...tasks.map((one) => one[key] ?? 0)) / 1000);
    const over = tasks.filter((one) => one.tdur > 50000).length;
    return `longest task ${most("dur")} ms, ${most("tdur")} ms of it processor time; ${over} of more than 50 ms`;
  };
}
