import { PolicyTooLarge } from "../support/policy-too-large.js";
import type { RenderedPolicy } from "../render/rendered-policy.js";
import { policyShares } from "./policy-shares.js";

const MIB = 1024 * 1024;
/** Bytes. A text has at most 512 Mi characters, and policy.json and the change that is sent are one each; nginx needs four times it. */
const LARGEST_POLICY = 256 * MIB;
const MOST_NAMED = 3;

/** Throws PolicyTooLarge for a policy that could be neither written nor sent. */
export function mustFit(policy: RenderedPolicy): void {
  if (policy.size <= LARGEST_POLICY) return;
  const [size, limit] = [policy.size, LARGEST_POLICY].map(inMib);
  throw new PolicyTooLarge(
    `policy.json would have ${size ?? ""}, at most ${limit ?? ""} can be served${whose(policy)}`,
  );
}

function whose(policy: RenderedPolicy): string {
  const { namespaces, objects } = policyShares(policy);
  if (objects.length === 0) return "";
  const most = namespaces
    .slice(0, MOST_NAMED)
    .map((share) => `${share.name} (${inMib(share.size)} of ${String(share.objects)} objects)`);
  const largest = objects.slice(0, MOST_NAMED).map(({ name, size }) => `${name} (${inMib(size)})`);
  return `; most of it is of the namespaces ${most.join(", ")}; the largest objects are ${largest.join(", ")}`;
}

function inMib(bytes: number): string {
  return `${String(Math.ceil(bytes / MIB))} MiB`;
}
