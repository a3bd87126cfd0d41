// What both tools share: a text into acorn's tree, or the place where it is none.

import * as acorn from "acorn";
import { ToolError } from "fumehood-tool";

/**
 * @typedef {"module" | "script"} SourceType
 * @typedef {{ source: string, path?: string, sourceType?: SourceType }} Args
 * @typedef {{ message: string, line: number, column: number }} SyntaxFault  Line and column are counted from 1.
 */

// Brackets within brackets. acorn calls itself for each, and a call of a tool has stack for some 300.
const DEEPEST = 200;

/** The path that cards show where the caller names none. */
export const UNNAMED = "input.js";

const { braceL, braceR, bracketL, bracketR, dollarBraceL, parenL, parenR } = acorn.tokTypes;
const opening = new Set([braceL, bracketL, dollarBraceL, parenL]);
const closing = new Set([braceR, bracketR, parenR]);

/**
 * The tree, or the first fault: acorn stops there, since what follows may be meant otherwise.
 * @param {Args} args
 * @returns {{ tree: acorn.Program, fault?: undefined } | { tree?: undefined, fault: SyntaxFault }}
 */
export function parse({ source, sourceType = "module" }) {
  let depth = 0;
  /** @param {acorn.Token} token */
  const onToken = ({ type }) => {
    depth += opening.has(type) ? 1 : closing.has(type) ? -1 : 0;
    if (depth > DEEPEST) {
      throw ToolError.failed("TOO_DEEP", `brackets are nested over ${DEEPEST} deep, which is too deep to parse here`);
    }
  };
  try {
    const tree = acorn.parse(source, { allowHashBang: true, ecmaVersion: "latest", locations: true, onToken, sourceType });
    return { tree };
  } catch (error) {
    if (error instanceof SyntaxError && "loc" in error) {
      const { line, column } = /** @type {acorn.Position} */ (error.loc);
      // acorn ends its message with the place, and counts columns from 0.
      return { fault: { message: error.message.replace(/ \(\d+:\d+\)$/, ""), line, column: column + 1 } };
    }
    throw error;
  }
}

/**
 * As JavaScript counts them: also U+2028 and U+2029 end a line.
 * @param {string} source
 */
export function linesOf(source) {
  return source.split(/\r\n|[\n\r\u2028\u2029]/);
}
