import type { HeaderModifier } from "../../../api/gateway.js";
import { type Header, type HeaderChanges, headerChanges } from "../../../model/filters.js";
import {
  type HeaderCheck,
  isHost,
  requestHeaderProblem,
  responseHeaderProblem,
} from "../../http/headers.js";
import { type Place, within } from "../../place.js";
import type { FilterType, RuleContext } from "../model.js";
import { VARIABLE } from "./url-changes.js";

/** nginx sends the Host header separately, so it has a field of its own in the model. */
export const REQUEST_HEADER_MODIFIER: FilterType<"requestHeaderModifier"> = {
  type: "RequestHeaderModifier",
  field: "requestHeaderModifier",
  isForGrpc: true,
  apply(modifier, place, context) {
    const at = within(place, "requestHeaderModifier");
    const { set, add, remove } = effectiveChanges(modifier, requestHeaderProblem, at, context);
    const host = set.find(([name]) => isHost(name))?.[1];
    const others = set.filter(([name]) => !isHost(name));
    const requestHeaders = headerChanges(others, add, remove);
    return { ...(requestHeaders && { requestHeaders }), ...(host !== undefined && { host }) };
  },
};

export const RESPONSE_HEADER_MODIFIER: FilterType<"responseHeaderModifier"> = {
  type: "ResponseHeaderModifier",
  field: "responseHeaderModifier",
  isForGrpc: true,
  apply(modifier, place, context) {
    const at = within(place, "responseHeaderModifier");
    const { set, add, remove } = effectiveChanges(modifier, responseHeaderProblem, at, context);
    const responseHeaders = headerChanges(set, add, remove);
    return responseHeaders === undefined ? {} : { responseHeaders };
  },
};

/** If names of one list are equal, ignoring case, the first entry counts. A name in two lists is invalid. */
function effectiveChanges(
  modifier: HeaderModifier,
  check: HeaderCheck,
  place: Place,
  { problems, diagnostics }: RuleContext,
): Required<HeaderChanges> {
  const set = firstOfEach(modifier.set ?? []);
  const add = firstOfEach(modifier.add ?? []);
  const remove = [...new Set(modifier.remove?.map((name) => name.toLowerCase()))];
  const names = [...[...set, ...add].map(([name]) => name.toLowerCase()), ...remove];
  const repeated = names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => `${name} is in more than one of set, add and remove`);
  const problem = [
    ...set.map(([name, value]) => check("set", name, value)),
    ...add.map(([name, value]) => check("add", name, value)),
    ...remove.map((name) => check("remove", name)),
    ...repeated,
  ].find((each) => each !== undefined);
  if (problem !== undefined) problems.unsupported(problem, place);
  for (const [name, value] of [...set, ...add]) {
    const variable = VARIABLE.exec(value)?.[0];
    if (variable === undefined) continue;
    const message = `the value of ${name} is sent as it is written: ${variable} is not expanded`;
    diagnostics.report({ code: "ROUTE_TEXT_LITERAL", message, ...place });
  }
  return { set, add, remove };
}

function firstOfEach(entries: NonNullable<HeaderModifier["set"]>): readonly Header[] {
  const byName = new Map<string, Header>();
  for (const { name, value } of entries) {
    const key = name.toLowerCase();
    if (!byName.has(key)) byName.set(key, [name, value]);
  }
  return [...byName.values()];
}
