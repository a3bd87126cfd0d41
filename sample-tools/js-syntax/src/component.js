// The component: both tools.

import { component } from "fumehood-tool/component";
import { check } from "./check.js";
import { outline } from "./outline.js";

export const tool = component(check, outline);
