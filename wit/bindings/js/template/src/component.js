// The component: every tool of this project, named once.

import { component } from "fumehood-tool/component";
import { findLines } from "./tool.js";

export const tool = component(findLines);
