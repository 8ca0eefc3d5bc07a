/**
 * Statuses as lines. An object (`@` its observed generation), a listener, a parent and an ancestor have a line of the conditions that
 * hold and the other fields, and a line for each problem. `USUAL` is left out, and so are messages of conditions that hold, except which
 * listeners have a route.
 */
import type { Condition, ObjectStatus } from "../../src/status/object-status.js";

const GROUP = "gateway.networking.k8s.io";
const USUAL: ReadonlySet<string> = new Set([
  `apiVersion "${GROUP}/v1"`,
  'apiVersion "networking.k8s.io/v1"',
  'apiVersion "crd.alauda.io/v2"',
  'apiVersion "crd.alauda.io/v1alpha1"',
  'controllerName "alb.cpaas.io/gateway-controller"',
  'reason ""',
  "supportedKinds HTTPRoute, GRPCRoute",
  "attachedRoutes 0",
  "attachedListenerSets 0",
]);

interface Reference {
  readonly group?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
}

interface Part {
  readonly conditions?: readonly Condition[];
  readonly supportedKinds?: readonly Reference[];
}

interface Status extends Part {
  readonly listeners?: readonly (Part & { readonly name: string })[];
  readonly parents?: readonly (Part & { readonly parentRef: Reference })[];
  readonly ancestors?: readonly (Part & { readonly ancestorRef: Reference })[];
}

export function statusText(statuses: readonly ObjectStatus[]): string {
  return statuses.flatMap((status) => statusLines(status).map((line) => `${line}\n`)).join("");
}

/** The features that the statuses of GatewayClasses claim, one a line. */
export function featuresText(statuses: readonly ObjectStatus[]): string {
  return statuses
    .flatMap(({ status }) => (status["supportedFeatures"] ?? []) as readonly { name: string }[])
    .map(({ name }) => `${name}\n`)
    .join("");
}

function statusLines({ apiVersion, kind, metadata, status }: ObjectStatus): readonly string[] {
  const { supportedFeatures: _, ...shown } = status;
  const { listeners = [], parents = [], ancestors = [], ...own } = shown as Status;
  const parts: readonly (readonly [string, Part])[] = [
    ["", { ...own, ...{ apiVersion } }],
    ...listeners.map(({ name, ...part }) => [` listener ${name}`, part] as const),
    ...parents.map(({ parentRef, ...part }) => [` parent ${textOf(parentRef)}`, part] as const),
    ...ancestors.map(
      ({ ancestorRef, ...part }) => [` ancestor ${textOf(ancestorRef)}`, part] as const,
    ),
  ];
  const conditions = parts.flatMap(([, part]) => part.conditions ?? []);
  const generations = new Set(conditions.map(({ observedGeneration }) => observedGeneration ?? ""));
  const object = [textOf({ kind, ...metadata }), ...generations].join("@").replace(/@$/, "");
  const lines = parts.flatMap(([name, part]) => partLines(`${object}${name}:`, part));
  return lines.length > 0 ? lines : [`${object}: nothing`];
}

function partLines(
  subject: string,
  { conditions = [], supportedKinds, ...fields }: Part,
): readonly string[] {
  const held: string[] = [];
  const problems = new Map<string, string>();
  for (const { type, status, reason, message } of conditions) {
    if (status === "True" && reason === type)
      held.push(message.startsWith("attached to ") ? `${type} (${message})` : type);
    else {
      const why = `${reason} ${JSON.stringify(message)}`;
      problems.set(why, `${problems.get(why) ?? ""} ${type}=${status}`);
    }
  }
  const facts = [
    ...(supportedKinds
      ? [`supportedKinds ${supportedKinds.map(textOf).join(", ") || "none"}`]
      : []),
    ...Object.entries(fields).map(([key, value]) => `${key} ${JSON.stringify(value)}`),
  ].filter((fact) => !USUAL.has(fact));
  const first = [held.join(" "), ...facts].filter((text) => text !== "").join(", ");
  return [
    ...(first === "" ? [] : [`${subject} ${first}`]),
    ...Array.from(problems, ([why, types]) => `${subject}${types} ${why}`),
  ];
}

/** `Gateway infra/edge`, and further fields such as `sectionName http`. */
function textOf({ group = GROUP, kind, namespace, name, ...more }: Reference): string {
  const path = [namespace, name].filter((part) => part !== undefined && part !== "").join("/");
  const words = [group === GROUP ? kind : `${group}/${kind}`, path, ...Object.entries(more).flat()];
  return words.filter((word) => word !== "").join(" ");
}
