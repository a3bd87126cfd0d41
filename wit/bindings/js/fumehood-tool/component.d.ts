import type { Tool } from "./index.js";

/** What a component exports as `tool`. */
export interface ToolExports {
  execute(tool: string, args: string): string;
  render(tool: string, args: string, value: string): unknown[];
  present(tool: string, args: string, value: string | undefined | null): unknown;
}

/**
 * The one line that makes a component of tools: `export const tool = component(grep, read);`
 * @throws {TypeError} two tools of one name, save for case, `-` and `_`
 */
export function component(...tools: Tool[]): ToolExports;
