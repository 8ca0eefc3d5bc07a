/** What rules and backends do to requests and responses, in the policy's shape. */
import type { Cors, HeaderChanges, PathRewrite, Redirect } from "../../ir/filters.js";
import { assertNever } from "../../support/assert-never.js";
import { filled, given, present } from "./fields.js";
import { memoized } from "../../support/memoized.js";
import type {
  PolicyCors,
  PolicyHeaders,
  PolicyRedirect,
  PolicyRewrite,
} from "./policy-document.js";

export function policyRedirect({ path, ...redirect }: Redirect): PolicyRedirect {
  return { ...redirect, ...present("path", given(path, policyRewrite)) };
}

export function policyRewrite(rewrite: PathRewrite): PolicyRewrite {
  switch (rewrite.kind) {
    case "full":
      return ["full", rewrite.value];
    case "prefix":
      return ["prefix", rewrite.prefix, rewrite.replacement];
    case "regex":
      return [
        "regex",
        rewrite.pattern,
        rewrite.ignoreCase ? "i" : "",
        rewrite.replacement,
        rewrite.whole,
      ];
    default:
      return assertNever(rewrite, "rewrite");
  }
}

export function policyCors(cors: Cors): PolicyCors {
  return {
    ...present("dialect", cors.dialect === "gateway" ? cors.dialect : undefined),
    origins: cors.allowOrigins,
    methods: cors.allowMethods,
    headers: cors.allowHeaders,
    ...filled("expose", cors.exposeHeaders),
    credentials: cors.allowCredentials,
    maxAge: cors.maxAge,
  };
}

/** Nothing for changes that change nothing. All paths of an Ingress have the same changes. */
export const policyHeaders = memoized((changes: HeaderChanges): PolicyHeaders | undefined => {
  const headers: PolicyHeaders = {
    ...filled("set", changes.set.map(nameAndValue)),
    ...filled("add", changes.add.map(nameAndValue)),
    ...filled("remove", changes.remove),
  };
  return Object.keys(headers).length === 0 ? undefined : headers;
});

function nameAndValue(header: {
  readonly name: string;
  readonly value: string;
}): readonly [string, string] {
  return [header.name, header.value];
}
