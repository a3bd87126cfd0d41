// The tool of a project that asks for another tool, once its vendor calls it: what that one gives, this one gives.

import { defineTool } from "fumehood-tool";
import { call } from "fumehood:host/tools@0.1.0";

/** @type {import("fumehood-tool").Tool} */
export const findLines = defineTool({
  name: "tools",
  execute: (/** @type {unknown} */ args) => JSON.parse(call("line_finder", JSON.stringify(args))),
});
