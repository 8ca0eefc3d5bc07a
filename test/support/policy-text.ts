/**
 * policy.json as lines: one for each server, host, binding and other entry. Bindings stand in their order, so the texts by which they are
 * sorted are left out; so are the version, what each policy has (`USUAL`), and tables that equal one for another port.
 */
import type { HostBinding, PolicyDocument } from "../../src/model/policy.js";

const USUAL: ReadonlySet<string> = new Set([
  'settings {"authTimeout":5000,"authTlsVerify":true}',
  'servers p80 {"apart":["ingress/80"],"listeners":[["","ingress/80"]],"port":80,"tls":false}',
  'servers p443 {"apart":["ingress/443"],"listeners":[["","ingress/443"]],"port":443,"tls":true}',
]);

export function policyText(policy: PolicyDocument): string {
  const { format: _, version: __, settings, servers, hosts, ...maps } = policy;
  const lines = [
    `settings ${JSON.stringify(settings)}`,
    ...entryLines("servers", servers),
    ...hostLines(hosts),
    ...Object.entries(maps).flatMap(([name, entries]) =>
      name === "matches"
        ? Object.entries(entries as NonNullable<PolicyDocument["matches"]>).flatMap(
            ([id, bindings]) => [`matches ${id}`, ...bindings.map(bindingLine)],
          )
        : entryLines(name, entries),
    ),
  ];
  return lines.map((line) => (USUAL.has(line) ? "" : `${line}\n`)).join("");
}

function entryLines(map: string, entries: object): readonly string[] {
  return Object.entries(entries).map(([id, entry]) => `${map} ${id} ${JSON.stringify(entry)}`);
}

/** `hosts ingress/80 ingress/443 | web.example`, with its binding, or a line for each of them. */
function hostLines(hosts: PolicyDocument["hosts"]): readonly string[] {
  const tables = new Map<string, string[]>();
  for (const [key, bindings] of Object.entries(hosts)) {
    const [table = "", host = ""] = key.split("|");
    const rest = [` | ${host}`, ...bindings.map(bindingLine)].join(bindings.length > 1 ? "\n" : "");
    tables.set(rest, [...(tables.get(rest) ?? []), table]);
  }
  return Array.from(tables, ([rest, names]) => `hosts ${names.join(" ")}${rest}`);
}

function bindingLine({ order: _, ...binding }: HostBinding): string {
  if ("matches" in binding) return `  matches ${binding.matches}`;
  const { path, route, ...rest } = binding;
  const more = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : "";
  return `  ${path === undefined ? "any path" : path.map((part) => JSON.stringify(part)).join(" ")} → ${route}${more}`;
}
