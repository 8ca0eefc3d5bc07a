/** A canary Ingress adds a second backend to another Ingress's paths. */
import type { Annotation } from "../annotation.js";
import { INGRESS_PREFIXES } from "./prefixes.js";
import { BOOLEAN } from "./types.js";

/** Serving its rules by themselves would send all requests to the canary. */
export const CANARY: Annotation<boolean> = {
  name: "canary",
  group: "canary",
  prefixes: INGRESS_PREFIXES,
  fallback: "unserved",
  supported: true,
  type: BOOLEAN,
  doc: "Canaries are not supported: an Ingress with `true` is not served, and its main Ingress gets all requests.",
};
