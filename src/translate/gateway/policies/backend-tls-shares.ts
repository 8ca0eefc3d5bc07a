/**
 * Different authorities have locations of their own, which cost each worker of nginx memory and a reload time, more the longer their PEM is;
 * names cost only bytes of the policy (docs/adr/verified-backends.md). Namespaces share units of TLS to backends (support/shares.ts).
 */
import type { BackendTlsPolicy } from "../../../api/gateway.js";
import type { BackendTls } from "../../../model/upstream.js";
import { getOrInsert } from "../../../support/collections.js";
import { type Claim, shareOut, usedUp } from "../../../support/shares.js";

/** Bytes of PEM, or of names, that cost what the locations of authorities cost. */
const BYTES = 4608;
/** In units of what the locations of authorities cost. */
export const MOST_BACKEND_TLS = 400;

export type TlsContent = Omit<BackendTls, "id" | "clientCertificate">;

/** The policies without a share, with the reason. `contents`: of the policies that are in force. */
export function withoutTlsShare(
  contents: ReadonlyMap<BackendTlsPolicy, TlsContent>,
): ReadonlyMap<BackendTlsPolicy, string> {
  const bundles = new Map<string, number>();
  const claimed = [...contents].map(([policy, content]) => ({
    policy,
    claims: claimsOf(policy, content, bundles),
  }));
  const { kept, used } = shareOut(
    claimed.flatMap(({ claims }) => claims),
    MOST_BACKEND_TLS,
  );
  return new Map(
    claimed.flatMap(({ policy, claims }) => {
      if (claims.every(({ place }) => kept.has(place))) return [];
      const { namespace } = policy.metadata;
      const size = claims.reduce((sum, claim) => sum + claim.size, 0);
      const shares = { namespace, used: used(namespace), whole: MOST_BACKEND_TLS, size };
      return [[policy, usedUp("units of TLS to backends", shares)]];
    }),
  );
}

/** Names that are equal, and authorities that are, cost once. `bundles`: numbers of the PEM texts, which are long. */
function claimsOf(
  owner: BackendTlsPolicy,
  { authorities, ...content }: TlsContent,
  bundles: Map<string, number>,
): readonly Claim[] {
  const { kind } = authorities;
  const pem = kind === "pem" ? authorities.pem : "";
  const trust = `${kind} ${String(getOrInsert(bundles, pem, () => bundles.size))}`;
  const names = JSON.stringify(content);
  return [
    { owner, place: trust, size: Math.max(1, pem.length / BYTES) },
    { owner, place: `${trust} ${names}`, size: names.length / BYTES },
  ];
}
