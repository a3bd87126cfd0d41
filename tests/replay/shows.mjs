// What is shown of each call.

import { session } from "./log.mjs";

export const row = (page, id) => page.locator(`[id="call-${id}"]`);
export const toggle = (page, id) => page.locator(`[id="call-${id}"] > .bar .open`).click();

/** What is seen of an open call, by part. */
export const seen = (page, id) => page.evaluate((id) => {
  const detail = document.getElementById(`detail-${id}`);
  const own = (selector) => [...detail.querySelectorAll(selector)].filter((node) => node.closest(".detail") === detail);
  const words = (selector) => own(selector).map((node) => node.innerText);
  return {
    text: detail.innerText,
    parts: own(".part > h4").map((node) => node.textContent),
    notices: words(".notice"),
    cards: own(".card").map((card) => ({ label: card.querySelector(".kind").textContent, title: card.querySelector(".headline").textContent, badges: [...card.querySelectorAll(".badge")].map((one) => one.textContent) })),
    decisions: own(".authority .decisions > li").map((node) => node.className),
    reviews: words(".reviews li"),
    usage: own(".usage tbody tr").map((node) => [...node.children].map((cell) => cell.textContent)),
    links: own("a.link").map((node) => node.getAttribute("href")),
  };
}, id);

export async function shows({ open, check }) {
  const page = await open(session().text());
  const says = (name, where, ...texts) => { for (const text of texts) check(`${name}: ${text}`, where.includes(text), where.slice(0, 700)); };
  const lacks = (name, where, ...texts) => { for (const text of texts) check(`${name}: no ${text}`, !where.includes(text), where.slice(0, 700)); };

  // The head.
  check("the page is named by its log", (await page.title()).startsWith("session.jsonl") && (await page.locator("h1").textContent()) === "session.jsonl", await page.title());
  says("the head", await page.locator("#facts").innerText(), "2026-11-30 09:58 to 2026-12-01 10:01 UTC", "17 calls and 2 nested", "fumehood 0.1.0", "values recorded");
  check("nothing is amiss with a good log", (await page.locator("#troubles").innerText()) === "");

  // The rows: state by word and by shape.
  const rows = await page.evaluate(() => [...document.querySelectorAll("#calls .call")].map((row) => ({
    id: row.id, state: row.querySelector(".state").textContent, shape: row.querySelector(".state path").getAttribute("d"), text: row.innerText, detail: row.querySelector(".detail") !== null,
  })));
  check("each top-level call has a row, in order", rows.map((one) => one.id).join() === Array.from({ length: 17 }, (_, n) => `call-${n + 1}`).join(), rows.map((one) => one.id));
  check("nothing is drawn of a call before it is opened", rows.every((one) => !one.detail));
  const states = new Map(rows.map((one) => [one.state, one.shape]));
  check("every state has its word", [...states.keys()].sort().join() === "aborted,failed,fault,interrupted,no end,refused,success", [...states.keys()]);
  check("and its shape", new Set(states.values()).size === states.size, [...states]);
  says("row 4", rows[3].text, "09:58:15.657", "success", "shell", "cargo test --workspace", "shortened", "4.31 s");
  says("row 6", rows[5].text, "refused", "1 denied", "which nothing here allows");
  says("row 7", rows[6].text, "reviewed");
  says("row 8", rows[7].text, "blocked");
  says("row 10", rows[9].text, "Report: tests, greetings", "1 denied", "2 calls");
  const between = await page.locator("#calls .event, #calls .day").allInnerTexts();
  check("days, openings and repairs stand between", between.length === 5 && between[0].startsWith("2026-11-30") && between[2].includes("Opened again by fumehood 0.1.0") && between[3].includes("1 call without an end; the last line was torn, 213 bytes kept in session.log.torn-1"), between);

  // The six cards, and what else a success has.
  const wanted = { 1: ["Search", "Greeting in src", ["truncated: 5 of 14 matching lines", "3 files"]], 2: ["File", "Read src/greet.rs", ["lines 1–17 of 42"]], 3: ["Changes", "Rename the greeting", ["2 files", "+6 −2"]],
    4: ["Command", "cargo test --workspace", ["exit 101"]], 5: ["Web search", "polite greetings in English", ["2 sources"]], 7: ["Edit", "Remember a decision", []] };
  for (const [id, [label, title, badges]] of Object.entries(wanted)) {
    await toggle(page, id);
    const { cards, parts } = await seen(page, id);
    check(`call ${id} has its card`, JSON.stringify(cards) === JSON.stringify([{ label, title, badges }]), cards);
    check(`call ${id} has what the model read, and the arguments`, parts.includes("What a person saw") && parts.includes("What the model read") && parts.includes("Arguments"), parts);
  }
  const [first, fourth, fifth, seventh] = [await seen(page, 1), await seen(page, 4), await seen(page, 5), await seen(page, 7)];
  says("call 1", first.text, "src/lib.rs:3: pub use greet::Greeting;", "… 11 more lines; ask for page 2", '"pattern": "Greeting",', "Search in files", "files 0.3.1", "sha256:", '"page": 1', "mount ./work:/ (read)");
  check("a recorded value is shown", first.parts.includes("Value") && !fourth.parts.includes("Value"), first.parts);
  says("call 4", fourth.notices.join("\n"), "The model did not read 1,200,235 of 1,204,331 bytes. The whole text is kept at fumehood-spill:sha256/9f3a2c51.");
  check("what was used stands with its limit, and beside the most", JSON.stringify(fourth.usage) === JSON.stringify([["host-calls", "4,324", "100 % of the most"], ["memory-bytes", "5.6 MB", "100 % of the most"], ["wall-clock-ms", "4.31 s", "14 % of the most"]]), fourth.usage);
  check("links lead where they say", fifth.links.join() === "https://en.example.org/wiki/Greeting,https://style.example.com/letters/openings?lang=en", fifth.links);
  const rel = await page.locator("a.link").first().evaluate((link) => [link.target, link.rel, link.title === link.href]);
  check("to beside this page, and tell nothing of it", rel.join() === "_blank,noopener noreferrer,true", rel);
  check("a reviewer that changed the value is named", JSON.stringify(seventh.reviews) === '["redact-secrets\\nreplaced the value"]', seventh.reviews);

  // The bad ends.
  for (const id of [6, 8, 9, 11, 12, 13, 14]) {
    await toggle(page, id);
    check(`call ${id} has no card`, (await seen(page, id)).cards.length === 0);
  }
  const sixth = await seen(page, 6);
  check("a denial stands before what the model read", sixth.parts.join() === "How it ended,Authority: 1 denied,What the model read,Arguments,Facts,Digests,Used" && sixth.decisions.join() === "denied", sixth);
  says("call 6", sixth.text, "refused", "DENIED", "GET http://169.254.169.254/latest/meta-data/", "--allow 'http://169.254.169.254/latest/ GET' would");
  check("a reviewer that blocked is named", (await seen(page, 8)).reviews.join("|") === "redact-secrets\nreplaced the value|no-injection\nblocked the result", (await seen(page, 8)).reviews);
  says("call 9", (await seen(page, 9)).text, "aborted", "TOOL_TIMEOUT", '"limit": "wall-clock-ms"');
  says("call 11: numbers as they were written", (await seen(page, 11)).text, "9007199254740993", "1.0", "DISK_FULL", "Try again tomorrow.");
  says("call 12", (await seen(page, 12)).text, "nobody's", "UNKNOWN_TOOL");
  says("call 13", (await seen(page, 13)).text, "They are not JSON.", '{"path": "src/');
  says("call 14", (await seen(page, 14)).text, "fault", "HOST_FAULT", "db (child process: db-server --stdio)");

  // Nested calls: under their parent, with neither card nor value.
  await toggle(page, 10);
  const tenth = await seen(page, 10);
  check("nested calls stand under the one that made them", (await row(page, 10).locator(".nested > .call").count()) === 2 && tenth.parts.includes("Calls it made"), tenth.parts);
  says("call 10", tenth.notices.join(), "The card was cut: it had 91,204 bytes and may have 65,536.");
  await toggle(page, "10.2");
  const nested = await seen(page, "10.2");
  check("a nested call has neither card nor value", nested.cards.length === 0 && !nested.parts.includes("Value") && nested.parts.includes("What it gave, as text"), nested.parts);
  says("call 10.2", nested.text, "GET https://intranet.example/", "DENIED");
  check("it is closed with its parent", await (async () => { await toggle(page, 10); return (await row(page, 10).locator(".detail").count()) === 0; })());

  // Calls without an end: the card that a person saw while it ran.
  for (const [id, title, words] of [[15, "git push", "What it did is not known."], [17, "cargo build --release", "The log has no end of this call. The tool had begun to run."]]) {
    await toggle(page, id);
    const one = await seen(page, id);
    check(`call ${id} has its pending card`, one.cards.length === 1 && one.cards[0].title === title && one.parts.includes("What a person saw while it ran"), one.cards);
    says(`call ${id}`, one.notices.join(), words);
  }

  // The records themselves.
  await row(page, 2).locator(".raw > summary").click();
  // They are drawn when the browser says that it opened, which is after the click.
  await row(page, 2).locator(".raw .code").first().waitFor();
  const raw = await row(page, 2).locator(".raw .code").allInnerTexts();
  check("the records themselves are there", raw.length === 3 && raw[0].includes('"event": "call"') && raw[1].includes('"event": "start"') && raw[2].includes('"event": "end"'), raw.map((one) => one.slice(0, 200)));
  lacks("a success", first.text, "How it ended");

  // What is long is folded, in each open call by itself.
  const long = session();
  for (let n = 0; n < 2; n += 1) {
    const id = long.call("shell", {});
    long.succeed(id, 1, { text: "ok", card: { card: "terminal", title: "seq 6000", output: Array.from({ length: 6000 }, (_, at) => `line ${at + 1}\n`).join(""), exit: { code: 0 }, timedOut: false } });
  }
  const folded = await open(long.text());
  for (const id of [18, 19]) {
    await toggle(folded, id);
    await row(folded, id).locator(".card .more").click();
  }
  for (const id of [18, 19]) {
    const text = await row(folded, id).locator(".card").innerText();
    check(`call ${id}: as much is drawn as of any card`, text.includes("line 5000\n") && !text.includes("line 5001\n") && text.includes("1,000 more lines: too long to be drawn here."), text.slice(-200));
  }
}
