/** The views of locations that exist only because a route's settings need them; lua/alb/known_locations.lua knows them by their names. */
import type { Retry } from "../../model/route.js";
import { type BackendProtocol, type BackendTls, trustOf } from "../../model/upstream.js";
import { compareStrings } from "../../support/collections.js";
import { authorityFile } from "../policy/named-files.js";
import type { CertificatePaths, ConfModel, ConfRoute } from "./conf-model.js";
import type { LocationView } from "./server-view.js";
import { type NginxText, bytes, integerText, locationName, word } from "./text.js";

/** A location for requests to backends; named by lua/alb/upstream/location.lua. */
interface Location {
  readonly family: "http" | "stream" | "large" | "h2c" | "try" | "grpc_try" | "h2c_try";
  /** Statuses to retry. */
  readonly codes: NonNullable<Retry["codes"]>;
  /** Statuses that pages replace. */
  readonly pages: readonly number[];
  /** Of the verified TLS to the backends; see `trustOf`. */
  readonly trust?: string;
  /** Bytes of a body without a length. */
  readonly limit?: number;
}

/** What holds for routes that say nothing else: statuses that pages replace, and the limit of bodies. */
interface OfGateway {
  readonly pages?: readonly number[];
  readonly bodyLimit?: number;
}

/** Of routes with deadlines or retries. */
const TRY_FAMILIES: Readonly<Record<BackendProtocol, Location["family"]>> = {
  http: "try",
  https: "try",
  grpc: "grpc_try",
  grpcs: "grpc_try",
  h2c: "h2c_try",
};

/**
 * The view of templates/partials/try.conf.hbs: the locations of routes with deadlines or retries, and of backends with verified TLS. The
 * statuses to retry are an nginx directive, so each set in use has a location, and a new set needs a reload. The same holds for the
 * statuses that pages replace, and for authorities and client certificates (docs/adr/verified-backends.md).
 */
export function tryViews(
  config: Pick<ConfModel, "routes" | "backendTls">,
  certificates: CertificatePaths,
  { pages: gatewayPages, bodyLimit = 0 }: OfGateway = {},
): readonly LocationView[] {
  const adapted = adaptedIds(config);
  const used = config.routes.flatMap((route) => {
    const { codes = [], attempts = 0 } = route.retry ?? {};
    const tried = attempts > 0 ? codes : [];
    return (route.backends ?? []).flatMap(({ protocol, tls }): readonly Location[] => {
      if (tls === undefined && !hasTries(route)) return [];
      const plain = {
        ...{ family: TRY_FAMILIES[protocol], codes: tried, pages: [] },
        ...(tls !== undefined && !adapted.has(tls) && { trust: trustOf(tls) }),
      };
      // Streams of gRPC have neither pages nor limits.
      if (plain.family === "grpc_try") return [plain];
      const pages = pagesOf(route, gatewayPages);
      // Upgrades and gRPC are for the plain one.
      const all = pages.length === 0 ? [plain] : [plain, { ...plain, pages }];
      return all.flatMap((each) => withLimit(each, route.bodyLimit ?? bodyLimit));
    });
  });
  // Always there, so the first route with a deadline needs no reload.
  const first = withLimit({ family: "try", codes: [], pages: [] }, bodyLimit);
  const locations = distinct([...first, ...used]);
  const trusts = new Map(config.backendTls.map((tls) => [trustOf(tls.id), tls]));
  return locations.map((location) => {
    const tls = location.trust === undefined ? undefined : trusts.get(location.trust);
    const view = locationView(location);
    return { ...view, tls: tls ? { module: view.module, ...trustView(tls, certificates) } : false };
  });
}

/** The view of templates/partials/page.conf.hbs: the locations of other routes with error pages. */
export function pageViews(
  { routes }: Pick<ConfModel, "routes">,
  { pages: gatewayPages = [], bodyLimit = 0 }: OfGateway = {},
): readonly LocationView[] {
  const used = routes.flatMap((route) => {
    const pages = pagesOf(route, gatewayPages);
    const isH2c = (route.backends ?? []).some(({ protocol }) => protocol === "h2c");
    const large = route.largeHeaders === true ? (["large"] as const) : [];
    const families = ["http", "stream", ...large, ...(isH2c ? (["h2c"] as const) : [])] as const;
    if (hasTries(route)) return [];
    const limit = route.bodyLimit ?? bodyLimit;
    return families.flatMap((family) => withLimit({ family, codes: [], pages }, limit));
  });
  const ofGateway = (["http", "stream"] as const).flatMap((family) =>
    withLimit({ family, codes: [], pages: gatewayPages }, bodyLimit),
  );
  const paged = [...used, ...ofGateway].filter(({ pages }) => pages.length > 0);
  return distinct(paged).map(locationView);
}

/** The view of templates/partials/page.conf.hbs: the locations of routes with large response headers, without those of their pages. */
export function largeViews(
  { routes }: Pick<ConfModel, "routes">,
  { bodyLimit = 0 }: OfGateway = {},
): readonly LocationView[] {
  const large = routes.filter(({ largeHeaders }) => largeHeaders === true);
  const used = large.flatMap((route) =>
    withLimit({ family: "large", codes: [], pages: [] }, route.bodyLimit ?? bodyLimit),
  );
  return distinct(used).map(locationView);
}

/** A location, and the one for bodies without a length if they are limited (0: they are not). */
function withLimit(location: Location, limit: number): readonly Location[] {
  return limit === 0 ? [location] : [location, { ...location, limit }];
}

/** Whether any answer may be replaced. */
export function hasPages(
  { routes }: Pick<ConfModel, "routes">,
  gatewayPages?: readonly number[],
): boolean {
  return gatewayPages !== undefined || routes.some(({ errorPages }) => errorPages !== undefined);
}

function pagesOf(
  { errorPages }: ConfRoute,
  gatewayPages: readonly number[] = [],
): readonly number[] {
  return errorPages?.statuses ?? gatewayPages;
}

function hasTries({ retry, deadlines }: ConfRoute): boolean {
  return retry !== undefined || Object.keys(deadlines ?? {}).length > 0;
}

function distinct(locations: readonly Location[]): readonly Location[] {
  return [...new Map(locations.map((entry) => [nameOf(entry), entry]))]
    .sort(([a], [b]) => compareStrings(a, b))
    .map(([, location]) => location);
}

function locationView(location: Location): LocationView {
  const { family, codes, pages } = location;
  return {
    name: locationName(nameOf(location)),
    codes: codes.map(integerText),
    module: word(PROXIED.has(family) ? "proxy" : "grpc"),
    grpc: family === "grpc_try",
    buffered: family === "http",
    large: family === "large",
    limit: location.limit !== undefined && bytes(location.limit),
    pages: pages.length > 0 && answeredByPages(pages).map(integerText),
    tls: false,
  };
}

const PROXIED: ReadonlySet<Location["family"]> = new Set(["http", "stream", "large", "try"]);

/** In a location with pages, each error of the gateway leaves nginx as 502; Lua knows the status that it is (lua/alb/upstream/peer.lua). */
function answeredByPages(pages: readonly number[]): readonly number[] {
  return [...new Set([...pages, 502])].sort((a, b) => a - b);
}

function nameOf({ family, trust, codes, pages, limit }: Location): string {
  const paged = pages.length === 0 ? [] : ["page", ...ranges(pages)];
  const limited = limit === undefined ? [] : ["limit", limit];
  return [family, ...(trust === undefined ? [] : [trust]), ...codes, ...paged, ...limited].join(
    "_",
  );
}

/** `404`, `500to599`: nginx's names are as short as those of lua/alb/error_pages.lua. */
function ranges(statuses: readonly number[]): readonly string[] {
  const starts = statuses.filter((status, i) => status !== (statuses[i - 1] ?? 0) + 1);
  return starts.map((start, i) => {
    const next = starts[i + 1];
    const end = statuses[(next === undefined ? statuses.length : statuses.indexOf(next)) - 1];
    return end === start ? String(start) : `${String(start)}to${String(end)}`;
  });
}

/** The machine's authorities; src/output/environment.ts writes the file before nginx starts. */
const SYSTEM_AUTHORITIES = "environment/ca.pem";

/** Ids of the BackendTls whose certificates nginx itself can't check. */
function adaptedIds({ backendTls }: Pick<ConfModel, "backendTls">): ReadonlySet<string> {
  return new Set(backendTls.flatMap(({ id, names }) => (names === undefined ? [] : id)));
}

/**
 * The view of templates/partials/adaptor.conf.hbs: a location for the authorities and client certificate of each BackendTls that nginx
 * itself can't check, or that a mirror has. `certificates`: paths of the certificate files by id. False: there is none.
 */
export function adaptorView(
  config: Pick<ConfModel, "routes" | "backendTls">,
  certificates: CertificatePaths,
): { readonly locations: readonly { readonly name: NginxText }[] } | false {
  const adapted = adaptedIds(config);
  const wanted = new Set(
    config.routes.flatMap(({ backends = [], mirrorTls = [] }) => [
      ...backends.flatMap(({ tls }) => (tls !== undefined && adapted.has(tls) ? tls : [])),
      ...mirrorTls,
    ]),
  );
  const used = config.backendTls.filter(({ id }) => wanted.has(id));
  const trusts = new Map(used.map((tls) => [trustOf(tls.id), tls]));
  if (trusts.size === 0) return false;
  return {
    locations: [...trusts].map(([trust, tls]) => ({
      name: locationName(`adapt_${trust}`),
      ...trustView(tls, certificates),
    })),
  };
}

function trustView(tls: BackendTls, certificates: CertificatePaths): object {
  return {
    verified: tls.authorities.kind !== "none",
    authorities: word(authoritiesPath(tls)),
    certificate: certificatePath(tls, certificates) ?? false,
  };
}

/** If nothing is verified, nginx does not use the file. */
export function authoritiesPath({ authorities }: BackendTls): string {
  return authorities.kind === "pem" ? authorityFile(authorities.pem).path : SYSTEM_AUTHORITIES;
}

function certificatePath(
  { id, clientCertificate }: BackendTls,
  certificates: CertificatePaths,
): NginxText | undefined {
  if (clientCertificate === undefined) return undefined;
  const path = certificates.get(clientCertificate);
  // Without it requests would reach the backend unauthenticated.
  if (path === undefined) throw new Error(`no certificate ${clientCertificate} for ${id}`);
  return word(path);
}
