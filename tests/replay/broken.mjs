// Logs that are not what they should be, and pages that are not whole.

import { Log, session } from "./log.mjs";
import { row, toggle } from "./shows.mjs";

export async function broken({ open, check }) {
  // An empty log, and one that only was opened.
  let page = await open("", { name: "empty" });
  check("an empty log says so", (await page.locator("#none").innerText()) === "This log has no calls." && (await page.locator("#status").textContent()) === "0 calls", await page.locator("#status").textContent());
  await page.keyboard.press("j");
  await page.keyboard.press("End");
  await page.locator("#query").fill("x");
  await page.locator("#query").press("Enter");
  page = await open(new Log().text(), { name: "opened" });
  check("so does one in which nothing was called", (await page.locator("#none").isVisible()) && (await page.locator("#calls .event").count()) === 1);

  // Lines that cannot be read stand in their places.
  const log = new Log();
  const id = log.call("good", {});
  log.succeed(id, 1, { text: "fine" });
  log.raw("{\"seq\": 4, \"event\": \"call\", <torn");
  log.raw("not json at all </script>");
  const last = log.call("good", {});
  log.succeed(last, 1, { text: "fine too" });
  page = await open(log.text(), { name: "torn" });
  const notes = await page.locator("#calls .event.trouble").allInnerTexts();
  check("a line that is not JSON is said, in its place, with its number", notes.length >= 2 && notes.some((one) => one.includes("Line 5: ")) && notes.some((one) => one.includes("Line 6: ")), notes);
  check("and above", /^[2-9] things are wrong with this log/.test(await page.locator("#troubles").innerText()), await page.locator("#troubles").innerText());
  check("the calls around it are there", (await page.locator("#calls .call").count()) === 2);
  const order = await page.evaluate(() => [...document.querySelectorAll(".batch > *")].map((node) => node.className.trim()).join());
  check("in the order of the log", /^day,event,call(?:,event trouble){2,},call$/.test(order), order);

  // Records that do not fit together. A reader of logs may refuse more of them, and sooner: then it says so.
  const odd = [
    (log) => log.add({ event: "end", call: "9", outcome: "success", content: [], usage: {}, millis: 1 }),
    (log) => log.add({ event: "start", call: "8.1" }),
    (log) => log.add({ event: "call", call: "1", tool: "again", args: "{}" }),
    (log) => log.add({ event: "end", call: "1", outcome: "success", content: [], usage: {}, millis: 1 }),
    (log) => log.add({ event: "call", call: "__proto__", tool: "t", args: "{}" }),
    (log) => log.add({ event: "call", call: 7, tool: "t", args: "{}" }),
    (log) => log.add({ event: "call", call: "20", tool: null, args: "{}" }),
    (log) => log.add({ event: "later", what: "a kind that is not known yet" }),
    (log) => log.raw("[]"),
    (log) => log.raw("null"),
    (log) => log.raw('"text"'),
    (log) => log.raw('{"event": {}}'),
    (log) => log.raw('{"seq": 3, "event": "end", "call": "toString", "outcome": "success"}'),
    (log) => log.raw('{"seq": 3, "at": "x", "event": "call", "call": "1", "tool": "\\ud800", "args": "{}"}'),
  ];
  for (const [at, spoil] of odd.entries()) {
    const log = new Log();
    const id = log.call("good", {});
    log.succeed(id, 1, { text: "fine" });
    spoil(log);
    const page = await open(log.text(), { name: `odd-${at}` });
    const line = log.lines.at(-1).slice(0, 80);
    check(`said: ${line}`, (await page.locator("#calls .event.trouble").count()) >= 1 && (await page.locator("#troubles .notice").count()) >= 1, await page.locator("#calls").innerText());
    await toggle(page, 1);
    check(`the call beside it is there: ${line}`, (await row(page, 1).locator(".part.content").innerText()).includes("fine"));
  }

  // Fields of a call that are not of their form: the rest of the call is still there.
  const fields = {
    content: "no list", decisions: [{ allowed: "yes" }], reviews: [{ reviewer: 7 }], usage: { a: -1 }, spilled: { bytes: "x" }, cardCut: { bytes: 1 }, projected: { value: 7 }, value: undefined,
  };
  for (const [name, value] of Object.entries(fields)) {
    const log = new Log();
    const id = log.call("good", { marker: "an argument" });
    log.succeed(id, 1, { text: "fine", card: { card: "generic", title: "t", body: [] }, [name]: value });
    // A reader leaves such a record out. The page does not count on it.
    const page = await open(log.text(), { name: `field-${name}`, assembled: true });
    await toggle(page, 1);
    const text = await row(page, 1).innerText();
    check(`a damaged ${name} costs nothing else`, text.includes("an argument") && (value === undefined || /cannot be drawn/.test(text)), text.slice(0, 600));
  }

  // Calls that are made at once are written down as they come, and shown as they were asked for.
  const batch = new Log();
  for (const id of ["2", "10", "9", "1"]) batch.call("good", {}, { id });
  for (const id of ["10", "1", "2", "9"]) batch.succeed(id, 1, { text: id });
  page = await open(batch.text(), { name: "batch" });
  const ids = await page.evaluate(() => [...document.querySelectorAll("#calls .call")].map((row) => row.id).join());
  check("calls stand in the order in which they were asked for", ids === "call-1,call-2,call-9,call-10", ids);

  // A page that was cut off.
  page = await open(session().text());
  check("a page that is whole says nothing", !(await page.locator("#troubles").innerText()).includes("not whole"));
  page = await open(session().text(), { edit: (html) => html.slice(0, html.lastIndexOf('{"seq":20,')) });
  check("one that was cut off says so", (await page.locator("#troubles").innerText()).includes("This page is not whole: its end is missing."), await page.locator("#troubles").innerText());
  check("and shows what there is", (await page.locator("#calls .call").count()) === 7, await page.locator("#calls .call").count());
}
