// node build.mjs TOOLCHAIN WIT SOURCE OUTPUT, with the packages of package.json installed beside this file.
// The libraries are called: `jco componentize` does not run on Node 20.

import { readFile, writeFile } from "node:fs/promises";

const [toolchain, wit, source, output] = process.argv.slice(2);
const world = "tool-component-on-wasi";

const toolchains = {
  // StarlingMonkey. Network is what a tool of this world cannot have, so the runtime is built without it.
  async starlingmonkey() {
    const { componentize } = await import("@bytecodealliance/componentize-js");
    const options = { sourcePath: source, witPath: wit, worldName: world, disableFeatures: ["http", "fetch-event"] };
    return (await componentize(options)).component;
  },
  // QuickJS. Without `sync` it wants the async component ABI, and with `optSize` tail calls; the host has neither.
  async quickjs() {
    const { componentize } = await import("componentize-qjs");
    const jsSource = await readFile(source, "utf8");
    return (await componentize({ witPath: wit, world, jsSource, jsPath: source, sync: true })).component;
  },
};

if (!Object.hasOwn(toolchains, toolchain) || output === undefined) {
  console.error(`usage: node build.mjs ${Object.keys(toolchains).join("|")} WIT SOURCE OUTPUT`);
  process.exit(2);
}
await writeFile(output, await toolchains[toolchain]());
