/**
 * Each different TLS to backends costs every worker of nginx about 150 KiB and a reload 2 ms; authorities cost a reload as much for each
 * 4.5 KiB of their PEM. Namespaces share what costs a worker 64 MiB, or a reload 0.8 s (support/shares.ts).
 */
import type { BackendTlsPolicy } from "../../../api/gateway.js";
import type { BackendTls } from "../../../model/upstream.js";
import { getOrInsert } from "../../../support/collections.js";
import { type Claim, shareOut, usedUp } from "../../../support/shares.js";

/** Bytes of authorities that cost what settings of TLS cost. */
const AUTHORITIES = 4608;
/** Costs of the settings of TLS. */
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

/** Settings that are equal, and authorities that are, cost once. `bundles`: numbers of the PEM texts, which are long. */
function claimsOf(
  owner: BackendTlsPolicy,
  { authorities, ...content }: TlsContent,
  bundles: Map<string, number>,
): readonly Claim[] {
  const { kind } = authorities;
  const pem = kind === "pem" ? authorities.pem : "";
  const bundle = getOrInsert(bundles, pem, () => bundles.size);
  const settings = { owner, place: `tls ${JSON.stringify([content, kind, bundle])}`, size: 1 };
  return pem === ""
    ? [settings]
    : [settings, { owner, place: `pem ${String(bundle)}`, size: pem.length / AUTHORITIES }];
}
