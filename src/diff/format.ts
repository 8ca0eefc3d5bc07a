/** Differences as text for a terminal, and as Markdown for a pull request. */
import { formatPredicate, formatSource } from "../explain/format.js";
import { formatPath } from "../explain/path-text.js";
import type { Example } from "./example.js";
import type { CertificateChange, Change, Differences, Treatment } from "./diff.js";
import { type Effect, EFFECTS } from "./effects.js";
import type { Door } from "./side.js";
import { shortened, visible } from "../support/text.js";

const TITLES: Readonly<Record<Effect, string>> = {
  authLost: "auth is lost",
  authChanged: "auth changed",
  authGained: "auth is gained",
  removed: "no longer served",
  added: "newly served",
  rerouted: "routed elsewhere",
  refused: "refused in another way",
  settings: "other settings",
};

/** Changes of one title that are shown; a loss of auth is always shown. */
const MOST_SHOWN = 50;
/** Hosts and paths of one change that are shown. */
const MOST_PLACES = 8;

export interface Described extends Differences {
  /** Objects of the new manifests that are refused, or whose Gateway is not there. */
  readonly notCompared: readonly string[];
  /** The certificate in a file, such as `a.example until 2027-01-31`. */
  readonly certificateText: (file: string | undefined) => string;
}

export function formatDifferences(differences: Described): string {
  const { changes, certificates, certificateText, notCompared } = differences;
  const sections = EFFECTS.flatMap((effect) => {
    const found = changes.filter(({ effects }) => effects[0] === effect);
    const shown = effect === "authLost" ? found : found.slice(0, MOST_SHOWN);
    return section(
      `${TITLES[effect]} (${String(found.length)})`,
      shown.map(changeLines),
      found.length - shown.length,
    );
  });
  const entries = certificates
    .slice(0, MOST_SHOWN)
    .map((change) => certificateLines(change, certificateText));
  return [
    ...sections,
    ...section(
      `other certificate (${String(certificates.length)})`,
      entries,
      certificates.length - entries.length,
    ),
    ...section(
      `not compared (${String(notCompared.length)}): albc validate says why`,
      notCompared.slice(0, MOST_SHOWN).map((object) => [`  ${object}`]),
      notCompared.length - MOST_SHOWN,
    ),
    `${summaryOf(differences)}\n`,
  ].join("\n");
}

/** One line, such as `auth is lost: 2, newly served: 1`. */
function summaryOf({ changes, certificates, notCompared }: Described): string {
  const counts = EFFECTS.map((effect) => ({
    title: TITLES[effect],
    count: changes.filter(({ effects }) => effects.includes(effect)).length,
  }));
  const others = [
    { title: "other certificate", count: certificates.length },
    { title: "not compared", count: notCompared.length },
  ];
  const all = [...counts, ...others]
    .filter(({ count }) => count > 0)
    .map(({ title, count }) => `${title}: ${String(count)}`);
  return all.length === 0 ? "no request is treated differently" : all.join(", ");
}

/** `entries`: lines, each of which may hold text of users. */
function section(
  title: string,
  entries: readonly (readonly string[])[],
  more: number,
): readonly string[] {
  if (entries.length === 0) return [];
  const rest = more > 0 ? [`  and ${String(more)} more; --format json has all`] : [];
  return [[title, ...entries.flat().map(visible), ...rest, ""].join("\n")];
}

function changeLines(change: Change): readonly string[] {
  const { before, now, changed, example, effects } = change;
  const [first = "", ...others] = placesOf(change);
  const named = changed.length > 0 ? [`    differs   ${changed.join(", ")}`] : [];
  return [
    `  ${first}`,
    ...others.map((place) => `    ${place}`),
    `    before    ${treatmentText(before)}`,
    `    now       ${treatmentText(now)}`,
    ...named,
    ...(example === undefined
      ? effects.includes("authLost") && change.when.length > 0
        ? ["    not certain: no request was found that meets all conditions"]
        : []
      : [`    try       ${exampleText(example)}`]),
  ];
}

function treatmentText({ kind, to, auth, source }: Treatment): string {
  const from = source === undefined ? "" : ` (${formatSource(source)})`;
  const checks = auth.length === 0 ? "no auth" : auth.join(" and ");
  switch (kind) {
    case "none":
      return "not served";
    case "refused":
      return `answers ${to}${from}`;
    case "redirected":
      return `redirects ${to}${from}`;
    case "passed":
      return `passes the connection to ${to}`;
    case "forwarded":
      return `${checks} → ${to}${from}`;
  }
}

/** Lines: the URLs, then the conditions. */
function placesOf({ doors, hosts, paths, when }: Change): readonly string[] {
  const names = shortened(hosts.map(hostText), MOST_PLACES);
  return [
    doors.map((door) => `${doorText(door)} ${names}`).join(", "),
    `paths ${shortened(paths.map(formatPath), MOST_PLACES)}`,
    ...(when.length === 0 ? [] : [`if ${when.map(formatPredicate).join(" and ")}`]),
  ];
}

function doorText({ scheme, port }: Door): string {
  return `${scheme} ${String(port)}`;
}

function hostText(key: string): string {
  if (key === "") return "any other host";
  return key.startsWith("**.") ? key.slice(1) : key;
}

function exampleText({ method, url, headers, client }: Example): string {
  const words = [
    `${method} ${url}`,
    ...headers.map((header) => `-H '${header.replaceAll("'", "'\\''")}'`),
    ...(client === "127.0.0.1" ? [] : [`--client ${client}`]),
  ];
  return words.join(" ");
}

function certificateLines(
  { doors, hosts, before, now }: CertificateChange,
  describe: Described["certificateText"],
): readonly string[] {
  return [
    `  ${doors.map(doorText).join(", ")} ${shortened(hosts.map(hostText), MOST_PLACES)}`,
    `    before    ${describe(before)}`,
    `    now       ${describe(now)}`,
  ];
}

/** Losses first, each with its details; everything else is folded. */
export function formatMarkdown(differences: Described): string {
  const { changes, certificates, certificateText, notCompared } = differences;
  const lost = changes.filter(({ effects }) => effects.includes("authLost"));
  const verdict =
    lost.length > 0
      ? `**:warning: Auth is lost for ${String(lost.length)} ${lost.length === 1 ? "group" : "groups"} of requests.**`
      : "Auth is lost for no request.";
  const tables = EFFECTS.flatMap((effect) => {
    const found = changes.filter(({ effects }) => effects[0] === effect);
    return table(TITLES[effect], found.map(rowOf), effect === "authLost");
  });
  const certificateRows = certificates.map(({ doors, hosts, before, now }) => [
    `${doors.map(doorText).join(", ")} ${shortened(hosts.map(hostText), MOST_PLACES)}`,
    certificateText(before),
    certificateText(now),
  ]);
  return [
    "### What this change does to requests",
    "",
    verdict,
    "",
    ...tables,
    ...table("other certificate", certificateRows, false),
    ...(notCompared.length === 0
      ? []
      : [`Not compared: ${shortened(notCompared.map(cellText), MOST_SHOWN)}.`, ""]),
    ...(changes.length + certificates.length + notCompared.length === 0
      ? ["No request is treated differently.", ""]
      : []),
  ].join("\n");
}

function rowOf(change: Change): readonly string[] {
  const { before, now, changed, example } = change;
  const more = changed.length > 0 ? `; differs: ${changed.join(", ")}` : "";
  const attempt = example === undefined ? "" : `\n\`${exampleText(example)}\``;
  return [
    placesOf(change).map(visible).join("\n") + attempt,
    treatmentText(before),
    treatmentText(now) + more,
  ];
}

function table(
  title: string,
  rows: readonly (readonly string[])[],
  isOpen: boolean,
): readonly string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, MOST_SHOWN);
  const more = rows.length - shown.length;
  return [
    `<details${isOpen ? " open" : ""}><summary>${title} (${String(rows.length)})</summary>`,
    "",
    "| requests | before | now |",
    "| --- | --- | --- |",
    ...shown.map((row) => `| ${row.map(cellText).join(" | ")} |`),
    ...(more > 0 ? ["", `and ${String(more)} more`] : []),
    "",
    "</details>",
    "",
  ];
}

/** Text of users, as text: no Markdown, no HTML, and no mention of anyone. */
function cellText(text: string): string {
  return text
    .split("\n")
    .map((line) =>
      visible(line)
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(
          /[\\`*_{}[\]()#+!|~@:]/g,
          (character) => `&#${String(character.charCodeAt(0))};`,
        ),
    )
    .join("<br>");
}
