import { component } from "fumehood-tool/component";
import { gallery } from "./gallery.js";
import { probe } from "./probe.js";

export const tool = component(gallery, probe);
