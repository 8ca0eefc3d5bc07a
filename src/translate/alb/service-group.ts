import type { Affinity, Backend, Route } from "../../model/route.js";
import { filled, present } from "../../support/json-object.js";
import type { ServiceGroup } from "../../api/alb.js";
import type { BackendProtocol } from "../../model/upstream.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { isSet } from "../../support/text.js";
import type { AuthContext } from "../auth/auth-policies.js";
import type { Place } from "../place.js";
import { within } from "../place.js";

/** The share of a member that names none; what an Ingress's Service has in the origin. */
const DEFAULT_WEIGHT = 100;
/** Name of the session cookie where session_affinity_attribute names none. */
const DEFAULT_COOKIE = "JSESSIONID";
const COOKIE_NAME = /^[A-Za-z0-9_]+$/;
const HEADER_NAME = /^[A-Za-z0-9_-]+$/;

/** The backends of a service group; a member without namespace is in the group's own. */
export function translateServiceGroup(
  group: ServiceGroup,
  place: Place,
  protocol: BackendProtocol,
  context: AuthContext,
): Pick<Route, "backends" | "affinity"> {
  const backends = (group.services ?? []).map((member, index): Backend => {
    const namespace = isSet(member.namespace) ? member.namespace : place.resource.namespace;
    const reference = { namespace, name: member.name, port: member.port };
    const at = within(place, "services", index);
    return {
      upstream: context.backends.upstream(reference, at, within(at, "port")),
      weight: member.weight ?? DEFAULT_WEIGHT,
      protocol,
    };
  });
  const affinity = parseAffinity(group);
  if (affinity.ok) {
    return { ...filled("backends", backends), ...present("affinity", affinity.value) };
  }
  context.diagnostics.report({
    code: "SETTING_IGNORED",
    message: affinity.problem,
    ...within(place, "session_affinity_policy"),
  });
  return filled("backends", backends);
}

function parseAffinity(group: ServiceGroup): Result<Affinity | undefined> {
  const policy = group.session_affinity_policy ?? "";
  const attribute = group.session_affinity_attribute ?? "";
  switch (policy) {
    case "":
      return ok(undefined);
    case "sip-hash":
      return ok(["clientAddress"]);
    case "header":
      if (HEADER_NAME.test(attribute)) return ok(["header", attribute.toLowerCase()]);
      return problem(`${JSON.stringify(attribute)} is not the name of a header`);
    case "cookie": {
      const name = attribute === "" ? DEFAULT_COOKIE : attribute;
      if (COOKIE_NAME.test(name)) return ok(["cookie", name]);
      return problem(
        `${JSON.stringify(attribute)} is not a name of letters, digits and _ for a cookie`,
      );
    }
    default:
      return problem(`${JSON.stringify(policy)} is none of sip-hash, cookie, header`);
  }
}
