import type { AuthUrl } from "../../model/auth.js";
import type { AuthOwner } from "./auth-owner.js";
import { literalPort, parseAuthUrl } from "./auth-url.js";
import type { ServicePort } from "./service-host.js";
import { meaningOfHost } from "./service-host.js";
import type { ForwardSettings, Setting } from "./settings.js";
import { literalText } from "./template.js";

export interface TranslatedUrl {
  readonly url: AuthUrl;
  /** The Service whose endpoints the auth service has. */
  readonly service?: ServicePort;
}

/** The URL of the auth service; undefined when a problem closes the paths. */
export function translateUrl(
  { url: setting, place }: ForwardSettings,
  owner: AuthOwner,
): TranslatedUrl | undefined {
  const { problems } = owner;
  if (setting === undefined) {
    const what = `${place.label} is set without a url`;
    problems.fail({ code: "AUTH_CONFIG_INVALID", what, place });
    return undefined;
  }
  const parsed = problems.valueOf(parseAuthUrl(setting.value), setting);
  if (parsed === undefined) return undefined;
  if (parsed.fragment)
    problems.warn("AUTH_URL_FRAGMENT", `${setting.label} has a fragment`, setting);
  const service = findService(parsed.url, setting, owner);
  if (service === undefined) return { url: parsed.url };
  const upstream = `${service.namespace}/${service.name}/${String(service.port)}`;
  return { url: { ...parsed.url, upstream }, service };
}

/** The Service that the URL's host names; a host or port that depends on the request is never one. */
function findService(url: AuthUrl, setting: Setting, owner: AuthOwner): ServicePort | undefined {
  const host = literalText(url.host);
  const port = literalPort(url);
  if (host === undefined || port === undefined) return undefined;
  const { resources, options } = owner.context;
  const meaning = meaningOfHost(resources, host, port, {
    namespace: owner.resource.namespace,
    clusterDomain: options.clusterDomain,
  });
  if (meaning.kind === "service") return meaning.service;
  if (meaning.kind === "missing") {
    const { namespace, name } = meaning.service;
    const what = `there is no Service ${namespace}/${name} with port ${String(port)}`;
    owner.problems.warn("AUTH_SERVICE_NOT_FOUND", what, setting);
  }
  return undefined;
}
