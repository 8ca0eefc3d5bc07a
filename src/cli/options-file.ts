import { readFileSync } from "node:fs";
import { YAMLException, loadAll } from "js-yaml";
import { explainYamlError } from "../input/yaml-errors.js";
import { errorCode, fileError } from "../output/file-error.js";
import { UsageError } from "./usage-error.js";

/** The value in the options file; an empty one holds no key. Throws a UsageError of one line. */
export function readOptionsFile(name: string): unknown {
  const text = readText(name);
  const documents = parse(text, name);
  if (documents.length > 1) {
    throw new UsageError(`the options file ${name} holds several documents; it must be one`);
  }
  return documents[0] ?? {};
}

function readText(name: string): string {
  try {
    return readFileSync(name, "utf8");
  } catch (error: unknown) {
    if (errorCode(error) !== "ENOENT") {
      throw new UsageError(fileError("read the options file", name, error).message);
    }
    throw new UsageError(
      `the options file ${name} does not exist; it is named by --config or the variable ALBC_CONFIG`,
    );
  }
}

function parse(text: string, name: string): readonly unknown[] {
  try {
    return loadAll(text);
  } catch (error: unknown) {
    if (!(error instanceof YAMLException)) throw error;
    const { line = 0, column = 0 } = error.mark ?? {};
    const { message, hint } = explainYamlError(error.reason, true);
    throw new UsageError(
      `the options file can't be read: ${name}:${String(line + 1)}:${String(column + 1)}: ${message}; ${hint}`,
    );
  }
}
