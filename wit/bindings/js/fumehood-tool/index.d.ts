/// <reference path="./host.d.ts" />

/**
 * Write a Fumehood tool in JavaScript or TypeScript.
 *
 * A tool is a name and up to three functions. `execute` does the work and returns one value. `render` says what a model
 * reads of that value, `present` makes the card that a person sees. The last two have defaults and run sealed: they get
 * no context, because there is nothing they could do with one.
 */

/** What JSON holds. An `undefined` member is left out. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };

/** What `execute` has of its call, and the projectors have not. */
export interface Context {
  /** Say how far the call has come. `done` and `total` count the same things; `done` must not fall. */
  progress(done: number, total?: number, message?: string): void;
  /** One line for the operator, on standard error. */
  log(level: "error" | "warn" | "info" | "debug" | "trace", message: string): void;
}

/** A tool as its author writes it. `Args` and `Value` are what the schemas in manifest.json say. */
export interface ToolDefinition<Args, Value> {
  /** `[A-Za-z0-9_-]`, 1 to 40, as in manifest.json. */
  name: string;
  /** Do the work. Throw a `ToolError` to fail; what else is thrown ends the call as a trap. Not `async`. */
  execute(args: Args, context: Context): NotPromise<Value>;
  /** What a model reads. Without one: the value as an indented outline, cut at 48 Ki characters. */
  render?(args: Args, value: Value): Content;
  /**
   * The card that a person sees; without a value, while the call is not finished. `undefined`: the card that every tool
   * has, with the title, the arguments and the content.
   */
  present?(args: Args, value: Value | undefined): Card | undefined;
}

/** Nothing would ever settle a promise: there is none. */
export type NotPromise<Value> = Value extends PromiseLike<unknown> ? never : Value;

/** A tool that `component` takes. */
export type Tool<Args = any, Value = any> = Readonly<Required<ToolDefinition<Args, Value>>>;

/**
 * A tool, with what it does not say filled in.
 * @throws {TypeError} a name that hosts refuse, or a part that is no function
 */
export function defineTool<Args, Value>(tool: ToolDefinition<Args, Value>): Tool<Args, Value>;

/** How a value reads where its tool does not say. */
export function outline(value: Json): string;

/** How `execute` fails. The message reaches the model. An empty result is a value, and so is a command's exit status. */
export class ToolError extends Error {
  private constructor();
  /** The variant of the interface. */
  readonly payload: { tag: string; val: unknown };
  /** The arguments fit the schema but make no sense. */
  static invalidArgs(message: string): ToolError;
  /** What the arguments name does not exist. */
  static notFound(message: string): ToolError;
  /** Something outside the tool refused it. */
  static denied(message: string): ToolError;
  /** It may work later, unchanged. */
  static unavailable(message: string): ToolError;
  /**
   * Everything else.
   * @param code stable and short, for programs: `[A-Z0-9_]`, 1 to 64
   * @param data more for programs
   * @throws {TypeError} a code that is none
   */
  static failed(code: string, message: string, data?: unknown): ToolError;
}

/** Who a block is for, how much it matters (0 to 1), and when what it shows was last changed (RFC 3339). */
export interface Annotations {
  audience?: ("user" | "assistant")[];
  priority?: number;
  lastModified?: string;
}

declare const made: unique symbol;

/** One piece of what a model reads. Made by `text`, `image`, `audio`, `resourceLink` and `resource`. */
export interface ContentBlock {
  readonly tag: "text" | "image" | "audio" | "resource-link" | "resource";
  readonly val: any;
  readonly [made]: "content";
}

/** What a model reads: a text, a block, or several of either. */
export type Content = string | ContentBlock | readonly (string | ContentBlock)[];

/** A text. */
export function text(text: string, annotations?: Annotations): ContentBlock;
/** An image, as the bytes of its file: `image/png`. */
export function image(data: Uint8Array, mimeType: string, annotations?: Annotations): ContentBlock;
/** A sound, as the bytes of its file: `audio/wav`. */
export function audio(data: Uint8Array, mimeType: string, annotations?: Annotations): ContentBlock;
/** A link to something that the reader may fetch. `size` in bytes. */
export function resourceLink(
  link: { uri: string; name: string; title?: string; description?: string; mimeType?: string; size?: number },
  annotations?: Annotations,
): ContentBlock;
/** A text or bytes that have a name of their own. */
export function resource(
  resource: { uri: string; mimeType?: string } & ({ text: string; blob?: undefined } | { blob: Uint8Array; text?: undefined }),
  annotations?: Annotations,
): ContentBlock;

/**
 * What a person sees. Made by the functions below; whoever draws one knows no tool by name. A title must say something, and
 * is made one line.
 */
export interface Card {
  readonly tag: "generic" | "terminal" | "diff" | "read" | "search" | "web";
  readonly val: any;
  readonly [made]: "card";
}

/** What a call does, for an icon. */
export type ToolKind = "read" | "edit" | "delete" | "move" | "search" | "execute" | "fetch" | "other";

/** Anything. Without `input` it shows the arguments of the call. A location's `line` is counted from 1. */
export function genericCard(card: {
  title: string;
  kind?: ToolKind;
  input?: unknown;
  body?: Content;
  locations?: readonly { path: string; line?: number }[];
}): Card;

/**
 * A command, which is the title. `exit` is its status, or the name of the signal that killed it, from the value and never
 * from reading what it wrote; absent only while it runs.
 */
export function terminalCard(card: {
  title: string;
  description?: string;
  cwd?: string;
  output?: string;
  exit?: number | string;
  timedOut?: boolean;
}): Card;

/** Files that were changed, one at least, each with all it holds now. Without `old` it is new, or that is not known. */
export function diffCard(card: { title: string; diffs: readonly { path: string; old?: string; new: string }[] }): Card;

/** A window of a file. Numbers are counted from 1, rise, and are at most `totalLines`. `offset`: the first line asked for. */
export function readCard(card: {
  title: string;
  path: string;
  offset?: number;
  lines: readonly { number: number; text: string }[];
  totalLines: number;
  language?: string;
}): Card;

/** Matching lines, by file. Without `total` these are all there are; there are never fewer. */
export function matchesCard(card: {
  title: string;
  files: readonly { path: string; matches: readonly { lineNumber: number; line: string }[] }[];
  total?: number;
}): Card;

/** Paths. Without `total` these are all there are; there are never fewer. */
export function pathsCard(card: { title: string; paths: readonly string[]; total?: number }): Card;

/** What a search of the web found. URLs are `http` or `https`. */
export function webSearchCard(card: {
  title: string;
  sources: readonly { url: string; title?: string; snippet?: string; published?: string }[];
  answer?: string;
  truncated?: boolean;
}): Card;

/** A page that was fetched, with the HTTP status from 100 to 599. */
export function fetchCard(card: { title: string; url: string; status: number; truncated?: boolean }): Card;
