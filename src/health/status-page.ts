/**
 * `/status`: what `albc status` prints, as a page. It has no script, and nothing of it comes from elsewhere. Names of objects, and messages
 * with what users wrote, are text in it: `html` escapes them all.
 */
import { createHash } from "node:crypto";
import { OBEYED, inSeconds } from "../support/text.js";
import type { RunEvents, RunHandlers } from "./run-health.js";
import {
  type PolicyFacts,
  type RunStatus,
  type StatusTable,
  factRows,
  statusTables,
  troubleOf,
} from "./run-status.js";

/** Seconds between two looks. */
const INTERVAL = 5;
/** Rows of each table. */
const MOST_SHOWN = 500;

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #444); --quiet: light-dark(#666, #aaa) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.4rem; margin: 0 }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
h2::first-letter, th::first-letter, .state::first-letter { text-transform: uppercase }
.fine { color: light-dark(#17692c, #6fdd8b) }
.trouble { color: light-dark(#a8071a, #ff8080) }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line) }
td { white-space: nowrap }
td:last-child, td:nth-last-child(2):first-child { white-space: normal; overflow-wrap: anywhere }
td:nth-last-child(2):first-child { width: 30% }
td:nth-child(n + 3):last-child { width: 100% }
thead th, .facts th { color: var(--quiet); font-weight: normal }
.facts th { width: 1%; padding-right: 1.5rem }
footer { color: var(--quiet); font-size: .9rem; margin-top: 2rem }
@media (max-width: 40rem) {
  thead { position: absolute; clip-path: inset(50%) }
  tr, td, td:last-child, td:nth-last-child(2):first-child { display: block; width: auto; padding: 0; border: 0 }
  .facts th { padding: 0; border: 0 }
  tr { padding: .4rem 0; border-bottom: 1px solid var(--line) }
  td::before { content: attr(data-label) " "; color: var(--quiet) }
}
`;

/** A browser that follows it runs no script, fetches nothing and shows the page in no frame, even if a text were not escaped. */
export const PAGE_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
} as const;

/** Remembers what policy.json says until another policy is applied. */
export class StatusPage implements RunHandlers {
  readonly #read: () => Promise<PolicyFacts>;
  readonly #status: (facts: PolicyFacts) => Promise<RunStatus>;
  #facts: Promise<PolicyFacts> | undefined;
  #version: string | undefined;

  /** `read` may take seconds, so it is called once for a policy, however many ask for the page. */
  constructor(
    read: () => Promise<PolicyFacts>,
    status: (facts: PolicyFacts) => Promise<RunStatus>,
  ) {
    this.#read = read;
    this.#status = status;
  }

  applied(...[, , version = this.#version]: RunEvents["applied"]): void {
    if (version !== this.#version) this.#facts = undefined;
    this.#version = version;
  }

  /** Undefined: nothing is applied yet. */
  async html(): Promise<string | undefined> {
    if (this.#version === undefined) return undefined;
    this.#facts ??= this.#read();
    const facts = this.#facts;
    try {
      return formatPage(await this.#status(await facts), new Date());
    } catch (error: unknown) {
      if (this.#facts === facts) this.#facts = undefined;
      throw error;
    }
  }
}

export function formatPage(status: RunStatus, now: Date): string {
  const trouble = troubleOf(status);
  const [[, state] = ["", ""], ...facts] = factRows(status);
  const rows = facts.map(
    ([label, text]) =>
      html`<tr>
        <th scope="row">${label}</th>
        <td>${text}</td>
      </tr> `,
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta http-equiv="refresh" content="${String(INTERVAL)}" />
        <title>albc: ${state}</title>
        ${new Html(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <h1>albc</h1>
        <p class="state ${trouble === undefined ? "fine" : "trouble"}">${state}</p>
        <table class="facts">
          <tbody>
            ${rows}
          </tbody>
        </table>
        ${statusTables(status).map(tableOf)}
        <footer>${inSeconds(now.toISOString())}, again every ${String(INTERVAL)} seconds</footer>
      </body>
    </html> `.text;
}

function tableOf({ title, columns, rows }: StatusTable): Html {
  const more = rows.length - MOST_SHOWN;
  return html`<h2>${title} (${String(rows.length)})</h2>
    <table>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.slice(0, MOST_SHOWN).map(
          (cells) =>
            html`<tr>
              ${cells.map((cell, at) => html`<td data-label="${columns[at] ?? ""}">${cell}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
    ${more > 0 ? html`<p>and ${String(more)} more</p> ` : ""}`;
}

/** Text that is HTML already. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** HTML in which each value is escaped unless it is HTML. */
function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | Html | readonly Html[])[]
): Html {
  const texts = values.map((value) =>
    typeof value === "string"
      ? escaped(value)
      : [value]
          .flat()
          .map(({ text }) => text)
          .join(""),
  );
  return new Html(parts.map((part, at) => part + (texts[at] ?? "")).join(""));
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

function escaped(text: string): string {
  return text
    .replace(OBEYED, "\ufffd")
    .replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? "");
}
