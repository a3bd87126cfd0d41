// The view under test.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { composed } from "../../browser/page.mjs";

const TOOL = fileURLToPath(new URL("../../../sample-tools/dist/word-count.wasm", import.meta.url));

/** As the server serves it, or, without a server, from the repository's parts. */
export function view(fumehood) {
  if (!fumehood) return composed("mcp/app/page.html", ["view/draw.css", "mcp/app/app.css"], ["view/draw.js", "mcp/app/app.js"]);
  const about = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": { name: "card-view", version: "1" } };
  const request = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: "ui://fumehood/card.html", _meta: about } };
  const served = spawnSync(fumehood, ["serve", TOOL], { input: `${JSON.stringify(request)}\n`, encoding: "utf8", timeout: 60000 });
  const answer = served.stdout?.split("\n").find((line) => line !== "");
  if (!answer) throw new Error(`${fumehood} served nothing: ${served.error ?? served.stderr}`);
  return JSON.parse(answer).result.contents[0].text;
}
