// node build.mjs SOURCE OUTPUT: makes a component of a module and of all that it imports.

import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { componentize } from "componentize-qjs";

const [source, output] = process.argv.slice(2);
if (output === undefined) {
  console.error("usage: node build.mjs SOURCE OUTPUT");
  process.exit(2);
}

// Modules are read from one folder and what is in it: the project, or what holds both it and the library.
const library = await realpath("fumehood-tool");
let root = await realpath(".");
while (!library.startsWith(root.endsWith(sep) ? root : root + sep)) {
  root = dirname(root);
}

const { component } = await componentize({
  jsPath: resolve(source),
  jsSource: await readFile(source, "utf8"),
  moduleRoot: root,
  // The default wants the component model's async functions, which a host of tools has not.
  sync: true,
  witPath: "fumehood-tool/wit",
  world: "component",
});
await mkdir(dirname(output), { recursive: true });
await writeFile(output, component);
