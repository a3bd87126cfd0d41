import type { Card, ContentBlock, Context, Tool } from "./index.js";

/** A context that remembers what it is told. */
export interface RecordingContext extends Context {
  readonly heard: { done: number; total?: number; message?: string }[];
  readonly lines: { level: string; message: string }[];
}
export function recordingContext(): RecordingContext;

/**
 * Execute and render: the value as it comes out of JSON, and what a model reads.
 * @throws what the tool throws, and a `ToolError` with the code `BAD_VALUE` for a value that JSON cannot hold
 */
export function call<Args, Value>(
  tool: Tool<Args, Value>,
  args: Args,
  context?: Context,
): { value: Value; content: ContentBlock[] };

/** The card of a value, or without one of a call that has not finished. */
export function card<Args, Value>(tool: Tool<Args, Value>, args: Args, value?: Value): Card | undefined;

/** The text of content that is one text, else `undefined`. */
export function asText(content: readonly ContentBlock[]): string | undefined;

/**
 * Holds manifest.json against the code.
 * @throws {Error} they do not have the same tools
 */
export function checkManifest(manifest: { tools: readonly { name: string }[] }, ...tools: Tool[]): void;
