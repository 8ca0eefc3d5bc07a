import { join } from "node:path";
import { createTwoFilesPatch } from "diff";
import type { RenderedFile } from "../render/rendered-file.js";
import { contentsOf } from "../render/rendered-file.js";
import { SecretText } from "../support/secret-text.js";
import { readIfThere } from "./file-error.js";
import { ownFiles } from "./file-writer.js";

/**
 * What would change if the files were written to `folder`, each difference as text that ends a line: a unified diff, or
 * one sentence for a stale file and for a secret, whose contents are never shown. Modes are not compared: a folder that
 * comes from version control has lost them. Empty when all is as it should be.
 */
export async function differences(
  folder: string,
  files: readonly RenderedFile[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of files) {
    const difference = await compare(folder, file);
    if (difference !== undefined) found.push(difference);
  }
  const expected = new Set(files.map((file) => file.path));
  for (const path of await ownFiles(folder)) {
    if (!expected.has(path)) found.push(`${path}: stale, would be removed\n`);
  }
  return found;
}

async function compare(folder: string, file: RenderedFile): Promise<string | undefined> {
  const actual = await readIfThere(join(folder, file.path));
  if (actual === undefined) return missing(file);
  if (actual === contentsOf(file)) return undefined;
  if (file.contents instanceof SecretText) return `${file.path}: differs (contents not shown)\n`;
  return patch(file.path, actual, contentsOf(file));
}

function missing(file: RenderedFile): string {
  if (file.contents instanceof SecretText) return `${file.path}: missing (contents not shown)\n`;
  return patch(file.path, undefined, contentsOf(file));
}

function patch(path: string, before: string | undefined, after: string): string {
  const old = before === undefined ? "/dev/null" : `a/${path}`;
  return createTwoFilesPatch(old, `b/${path}`, before ?? "", after, undefined, undefined, {
    context: 3,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  });
}
