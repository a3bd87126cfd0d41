// Search and filters.

import { session } from "./log.mjs";
import { row, toggle } from "./shows.mjs";

export async function finding({ open, check }) {
  let page = await open(session().text());
  const shown = () => page.evaluate(() => [...document.querySelectorAll("#calls .batch > .call")].filter((row) => row.checkVisibility()).map((row) => row.id.slice(5)).join());
  const settled = async () => {
    await page.locator("main:not([aria-busy])").waitFor();
    return shown();
  };
  const status = () => page.locator("#status").textContent();
  const search = async (words) => {
    const before = await status();
    await page.locator("#query").fill(words);
    await page.locator("#query").press("Enter");
    if (words !== "") await page.locator("#status", { hasText: " of 17 calls" }).waitFor();
    return { before, found: await settled() };
  };
  const choose = (group, value) => page.locator(`#by-${group} input[value="${value}"]`).click();
  const finds = async (what, words, ids) => {
    const { found } = await search(words);
    check(`${what}: ${words}`, found === ids, found);
    const many = ids === "" ? 0 : ids.split(",").length;
    check(`${what}: ${words}: is told`, (await status()) === `${many} of 17 calls`, await status());
  };

  await finds("by a card's title", "rename", "3");
  await finds("by what the model read", "more lines; ask", "1");
  await finds("in any case", "DISK of the WORLD", "11");
  await finds("by an argument", "make -j8", "9");
  await finds("by a text in a card alone", "greets_politely", "4");
  await finds("by an answer that is no content", "suits nearly", "5");
  await finds("by a rule", "would, and addresses", "6");
  await finds("by a reviewer", "no-injection", "8");
  await finds("by a locator", "9f3a2c51", "4");
  await finds("by a code", "UNKNOWN_TOOL", "12");
  await finds("by a state", "interrupted", "15");
  await finds("by a number as it is written", "9007199254740993", "11");
  await finds("by a component's name", "report 1.0.0", "10");
  await finds("by a recorded value", "totalLines", "2");
  await finds("all words", "cargo release", "17");
  await finds("a phrase", '"run the tests"', "4");
  await finds("and not its words", '"tests the run"', "");
  await finds("in a nested call, by its parent", "intranet", "10");
  await finds("not by what is nowhere to be seen", "ndjson", "");
  await finds("nor by the tags of the log", "outcome", "");
  check("that nothing was found is said", (await page.locator("#none").innerText()) === "No call is like that.");
  check("what stands between calls is away", !(await page.locator("#calls .event").first().isVisible()));
  await page.locator("#clear").click();
  await page.locator("#status", { hasText: /^17 calls$/ }).waitFor();
  check("one button brings all back", (await settled()).split(",").length === 17 && (await page.locator("#query").inputValue()) === "" && (await page.locator("#calls .event").first().isVisible()));

  await choose("state", "refused");
  check("by outcome", (await settled()) === "6,8,10", await shown());
  await choose("state", "aborted");
  check("by either of two", (await settled()) === "6,8,9,10", await shown());
  await choose("mark", "reviewed");
  check("and by what it has", (await settled()) === "8", await shown());
  await choose("state", "refused");
  await choose("state", "aborted");
  check("reviews", (await settled()) === "7,8", await shown());
  await choose("mark", "reviewed");
  await choose("mark", "denied");
  check("denials, a nested call's too", (await settled()) === "6,10", await shown());
  await choose("tool", "fetch");
  check("by tool", (await settled()) === "6,10", await shown());
  await choose("mark", "denied");
  check("by tool alone", (await settled()) === "6,8,10", await shown());
  const { found } = await search("injection");
  check("all three at once", found === "8", found);
  const counts = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll("#facets label")].map((label) => [label.querySelector("input").value, label.querySelector(".how-many").textContent])));
  check("each filter says how many there are", counts.refused === "3" && counts.fetch === "3" && counts.denied === "2" && counts.left === "2" && counts.success === "9", counts);

  // The words that were found are marked, without touching what stands there.
  await page.locator("#clear").click();
  await page.locator("#status", { hasText: /^17 calls$/ }).waitFor();
  await toggle(page, 2);
  const before = await row(page, 2).evaluate((node) => node.querySelectorAll("*").length);
  await search("greeting");
  const marked = await page.evaluate(() => [...CSS.highlights.get("found")].map((range) => range.toString().toLowerCase()));
  check("words are marked where they stand", marked.length > 5 && marked.every((one) => one === "greeting"), marked.slice(0, 5));
  check("and nothing is changed for that", (await row(page, 2).evaluate((node) => node.querySelectorAll("*").length)) === before);
  await search("");
  await page.locator("#status", { hasText: /^17 calls$/ }).waitFor();
  check("marks go with the search", await page.evaluate(() => !CSS.highlights.has("found")));

  // The keyboard goes over what is left.
  await search("cargo");
  await page.keyboard.press("Escape");
  await search("shell");
  await page.locator("#query").blur();
  await page.keyboard.press("j");
  await page.keyboard.press("End");
  const last = await page.evaluate(() => document.activeElement.closest(".call")?.id);
  check("keys go over what is left", last === "call-17" || last === `call-${(await shown()).split(",").at(-1)}`, last);
}
