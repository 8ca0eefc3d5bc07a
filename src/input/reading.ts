/** Reads the parts of a refused object in any shape, and notes what is lost. */
import type { Closed } from "../api/wire.js";
import { isNear } from "../support/did-you-mean.js";
import type { JsonObject } from "../support/json-object.js";
import { isObject } from "../support/json-object.js";
import { valuesOf } from "./misspelt-fields.js";
import { hostProblem } from "./rules/names.js";

export class Reading {
  readonly #object: JsonObject;
  extent: Closed["extent"] = "paths";

  constructor(object: JsonObject) {
    this.#object = object;
  }

  losePath(): void {
    if (this.extent === "paths") this.extent = "hosts";
  }

  loseHost(): void {
    this.extent = "namespace";
  }

  /** The fields of a mapping that must be one. */
  fields(value: unknown): JsonObject {
    if (!isObject(value)) this.losePath();
    return fieldsOf(value);
  }

  /** The items of a list; something else counts as its one item. */
  items(value: unknown): readonly unknown[] {
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    this.losePath();
    return value === null ? [] : [value];
  }

  /** Host names in any shape; an empty list means all hosts. `given`: the value of their field; `names`: of fields that may hold them. */
  hosts(given: unknown, names: readonly string[]): readonly string[] {
    const isGiven = given !== undefined;
    const values = isGiven ? [given] : this.#strayHosts(names);
    const texts = values.flatMap(wordsOf).map((text) => text.trim().toLowerCase());
    const hosts = texts.filter((text) => text !== "" && hostProblem(text) === undefined);
    // In a value of the wrong shape, a word without a dot is probably no host.
    const isShaped =
      given !== null && typeof given === (names.includes("hosts") ? "string" : "object");
    const isLost = !isShaped && (texts.length === 0 || hosts.some((host) => !host.includes(".")));
    const isShort = isGiven && countOf(given) > texts.length;
    if (hosts.length < texts.length || isShort || (isGiven && isLost)) this.loseHost();
    return hosts;
  }

  /** Hosts in misplaced fields of the object. */
  #strayHosts(names: readonly string[]): readonly unknown[] {
    if (this.extent === "paths") return [];
    const { spec, ...rest } = this.#object;
    return valuesOf([spec, rest], (name) => names.some((known) => isNear(name, known)));
  }
}

export function portField(name: string, value: unknown, least: number): JsonObject | undefined {
  const port = typeof value === "string" && value !== "" ? Number(value) : value;
  const isPort =
    typeof port === "number" && Number.isInteger(port) && port >= least && port < 65536;
  return isPort ? { [name]: port } : undefined;
}

export function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (isObject(value)) return Object.values(value).flatMap(textsOf);
  return isScalar(value) ? [String(value)] : [];
}

/** Strings only: a number or boolean means that a string was lost. */
export function wordsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  return isObject(value) ? Object.values(value).flatMap(wordsOf) : [];
}

export function countOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 1;
}

export function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

export function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
