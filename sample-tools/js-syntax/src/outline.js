// js_outline: what a file imports, exports and declares, each with its line.

import { defineTool, matchesCard, ToolError } from "fumehood-tool";
import { linesOf, parse, UNNAMED } from "./parse.js";

/**
 * @typedef {import("./parse.js").Args} Args
 * @typedef {"import" | "export" | "function" | "class" | "method" | "variable"} Kind
 * @typedef {{ kind: Kind, name: string, line: number, endLine: number, exported: boolean, text: string }} Item
 * @typedef {{ items: Item[], more: number, lines: number }} Value
 * @typedef {import("acorn").AnyNode} Node
 */

// As many as a model wants to read of one file.
const SHOWN = 300;
const WIDEST = 160;

/** @type {import("fumehood-tool").Tool<Args, Value>} */
export const outline = defineTool({
  name: "js_outline",

  execute(args) {
    const { tree, fault } = parse(args);
    if (tree === undefined) {
      const where = `${fault.line}:${fault.column}`;
      throw ToolError.failed("SYNTAX_ERROR", `${args.path ?? UNNAMED}:${where}: ${fault.message}`, fault);
    }
    const lines = linesOf(args.source);
    const items = tree.body.flatMap((statement) => [...found(statement, false)]).map((item) => ({
      ...item,
      text: shortened((lines[item.line - 1] ?? "").trim()),
    }));
    return { items: items.slice(0, SHOWN), more: Math.max(0, items.length - SHOWN), lines: lines.length };
  },

  render({ path = UNNAMED }, { items, more }) {
    if (items.length === 0) {
      return `${path} declares nothing.`;
    }
    const shown = items.map(({ kind, name, line, endLine, exported }) => {
      const range = endLine > line ? `${line}-${endLine}` : `${line}`;
      return `${range}: ${exported ? "export " : ""}${kind === "export" ? "" : `${kind} `}${name}`;
    });
    return [...shown, ...(more > 0 ? [`(${more} more)`] : [])].join("\n");
  },

  present({ path = UNNAMED }, value) {
    if (value === undefined) {
      return undefined;
    }
    const matches = value.items.map(({ line, text }) => ({ lineNumber: line, line: text }));
    const files = matches.length === 0 ? [] : [{ path, matches }];
    return matchesCard({ title: `Outline of ${path}`, files, total: matches.length + value.more });
  },
});

/**
 * What one statement declares.
 * @param {Node} node
 * @param {boolean} exported
 * @returns {Generator<Omit<Item, "text">>}
 */
function* found(node, exported) {
  /** @type {(kind: Kind, name: string, at?: Node) => Omit<Item, "text">} */
  const item = (kind, name, at = node) => {
    const { start, end } = /** @type {import("acorn").SourceLocation} */ (at.loc);
    return { kind, name, line: start.line, endLine: end.line, exported };
  };
  switch (node.type) {
    case "ImportDeclaration":
      yield item("import", String(node.source.value));
      break;
    case "ExportAllDeclaration":
      yield { ...item("export", `* from ${node.source.value}`), exported: true };
      break;
    case "ExportDefaultDeclaration": {
      const inner = [...found(node.declaration, true)];
      yield* inner.length > 0 ? inner : [{ ...item("export", "default"), exported: true }];
      break;
    }
    case "ExportNamedDeclaration":
      if (node.declaration) {
        yield* found(node.declaration, true);
      } else {
        const names = node.specifiers.map(({ exported }) => nameOf(exported)).join(", ");
        yield { ...item("export", `{ ${names} }`), exported: true };
      }
      break;
    case "FunctionDeclaration":
      yield item("function", node.id?.name ?? "default");
      break;
    case "ClassDeclaration":
      yield item("class", node.id?.name ?? "default");
      for (const member of node.body.body) {
        if (member.type === "MethodDefinition") {
          const name = member.computed ? "[computed]" : nameOf(member.key);
          yield { ...item("method", `${node.id?.name ?? "default"}.${name}`, member), exported: false };
        }
      }
      break;
    case "VariableDeclaration":
      for (const { id, init } of node.declarations) {
        if (id.type === "Identifier") {
          const called = init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression";
          yield item(called ? "function" : init?.type === "ClassExpression" ? "class" : "variable", id.name);
        }
      }
      break;
  }
}

/** @param {Node} node */
function nameOf(node) {
  switch (node.type) {
    case "Identifier":
      return node.name;
    case "PrivateIdentifier":
      return `#${node.name}`;
    case "Literal":
      return String(node.value);
    default:
      return "?";
  }
}

/** @param {string} text */
function shortened(text) {
  return text.length > WIDEST ? `${text.slice(0, WIDEST).replace(/[\ud800-\udbff]$/, "")}…` : text;
}
