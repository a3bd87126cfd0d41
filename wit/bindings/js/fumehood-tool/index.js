// Write a Fumehood tool in JavaScript. `index.d.ts` says what everything is.

export { diffCard, fetchCard, genericCard, matchesCard, pathsCard, readCard, terminalCard, webSearchCard } from "./card.js";
export { audio, image, resource, resourceLink, text } from "./content.js";
export { ToolError } from "./failure.js";
export { outline } from "./outline.js";
export { defineTool } from "./tool.js";
