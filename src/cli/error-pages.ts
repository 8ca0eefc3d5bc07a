/** The options about error pages of the whole gateway. Only the operator can name files. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { MAX_ERROR_STATUS, MIN_ERROR_STATUS, isErrorStatus } from "../support/error-statuses.js";
import { readTextFile } from "../output/files.js";
import type { GatewayErrorPages } from "../model/options.js";
import { errorText } from "../support/text.js";
import { UsageError } from "./terminal.js";

/** Of all files, which are options of each compilation, and which each worker holds. */
const MOST_KIB = 256;

/** Reads the files of the folder. `service`: NAMESPACE/NAME:PORT. Both empty: there are no pages. Throws UsageError. */
export function gatewayErrorPages({
  folder,
  service,
  statuses,
}: {
  readonly folder: string;
  readonly service: string;
  readonly statuses: readonly number[];
}): GatewayErrorPages | undefined {
  if (folder !== "" && service !== "") {
    throw new UsageError(
      "errorPages and errorPageService are both given; the pages are of the one or the other",
    );
  }
  if (folder !== "") return pagesOfFolder(folder);
  if (service === "") return undefined;
  return { statuses, service: serviceOf(service) };
}

function serviceOf(text: string): NonNullable<GatewayErrorPages["service"]> {
  const [, namespace, name, digits] = /^([^/:]+)\/([^/:]+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits ?? 0);
  if (namespace === undefined || name === undefined || port < 1 || port > 65_535) {
    throw new UsageError(
      `errorPageService must be NAMESPACE/NAME:PORT, but is ${JSON.stringify(text)}`,
    );
  }
  return { namespace, name, port };
}

function pagesOfFolder(folder: string): GatewayErrorPages {
  const names = read(() => readdirSync(folder)).filter((name) => !name.startsWith("."));
  const statuses = new Set(names.flatMap((name) => statusesOf(name, folder)));
  if (statuses.size === 0)
    throw new UsageError(`errorPages: ${folder} has no page such as 404.html`);
  const files = Object.fromEntries(names.sort().map((name) => [name, pageOf(join(folder, name))]));
  const size = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (size > MOST_KIB * 1024) {
    throw new UsageError(
      `errorPages: the files of ${folder} have ${String(size)} bytes, more than ${String(MOST_KIB)} KiB`,
    );
  }
  return { statuses: [...statuses].sort((a, b) => a - b), files };
}

/** What the file is for: one status, or all of a class. */
function statusesOf(name: string, folder: string): readonly number[] {
  const [, code = ""] = /^([45](?:\d\d|xx))\.(?:html|json)$/.exec(name) ?? [];
  const all = Array.from(
    { length: MAX_ERROR_STATUS + 1 - MIN_ERROR_STATUS },
    (_, i) => MIN_ERROR_STATUS + i,
  );
  const found = all.filter(
    (status) =>
      isErrorStatus(status) && [String(status), `${String(status).charAt(0)}xx`].includes(code),
  );
  if (found.length > 0) return found;
  throw new UsageError(
    `errorPages: ${JSON.stringify(name)} in ${folder} is no page; pages are named 404.html, 404.json, 4xx.html and so on`,
  );
}

function pageOf(path: string): string {
  return read(() => readTextFile(path, MOST_KIB * 1024)) ?? "";
}

function read<T>(work: () => T): T {
  try {
    return work();
  } catch (error: unknown) {
    throw new UsageError(`errorPages can't be read: ${errorText(error)}`);
  }
}
