// node starlingmonkey.mjs SOURCE WIT OUTPUT, with the packages of package.json installed beside this file.
// The library is called: `jco componentize` does not run on Node 20.

import { writeFile } from "node:fs/promises";
import { componentize } from "@bytecodealliance/componentize-js";

const [sourcePath, witPath, output] = process.argv.slice(2);
if (output === undefined) {
  console.error("usage: node starlingmonkey.mjs SOURCE WIT OUTPUT");
  process.exit(2);
}
// Network is what a tool of this world cannot have, so the runtime is built without it.
const { component } = await componentize({ sourcePath, witPath, worldName: "component", disableFeatures: ["http", "fetch-event"] });
await writeFile(output, component);
