/** What an API server checks in a Secret or ConfigMap beyond its schema, and what it fills in. No message shows a value: it may be a password. */
import type { ConfigMap, Secret } from "../../api/wire.js";
import { invalid, missing, shown } from "./reports.js";
import type { Reports } from "./reports.js";
import { checkText, dataKeyProblem } from "./names.js";
import { own } from "../../support/json-object.js";

/** All values together, in bytes. */
const MAX_SIZE = 1024 * 1024;

/** Keys that a type of Secret must hold. */
const TYPE_KEYS: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
};

export function* checkSecret(secret: Secret): Reports {
  const { data = {}, stringData = {} } = secret;
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    yield* checkKey(key, "data");
    if (Object.hasOwn(stringData, key)) continue;
    const bytes = base64Size(value);
    if (bytes === undefined) {
      yield invalid(
        ["data", key],
        `the value of ${shown(key)} is not base64`,
        "encode it with base64, or move it to stringData, which takes plain text",
      );
    }
    size += bytes ?? 0;
  }
  for (const [key, value] of Object.entries(stringData)) {
    yield* checkKey(key, "stringData");
    size += Buffer.byteLength(value);
  }
  yield* checkSize(size);
  yield* checkType(secret.type ?? "Opaque", new Set(Object.keys({ ...data, ...stringData })));
}

function* checkType(type: string, keys: ReadonlySet<string>): Reports {
  for (const key of own(TYPE_KEYS, type) ?? []) {
    if (!keys.has(key))
      yield missing(["data", key], `a Secret of type ${type} needs the key ${shown(key)}`);
  }
  if (type === "kubernetes.io/basic-auth" && !keys.has("username") && !keys.has("password")) {
    yield missing(["data"], `a Secret of type ${type} needs the key "username" or "password"`);
  }
}

export function* checkConfigMap(configMap: ConfigMap): Reports {
  const data = configMap.data ?? {};
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    yield* checkKey(key, "data");
    size += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(configMap.binaryData ?? {})) {
    yield* checkKey(key, "binaryData");
    if (Object.hasOwn(data, key))
      yield invalid(["binaryData", key], `the key ${shown(key)} stands in data too`);
    const bytes = base64Size(value);
    if (bytes === undefined)
      yield invalid(["binaryData", key], `the value of ${shown(key)} is not base64`);
    size += bytes ?? 0;
  }
  yield* checkSize(size);
}

function checkKey(key: string, field: string): Reports {
  return checkText(key, dataKeyProblem, [field, key], "the key");
}

function* checkSize(size: number): Reports {
  if (size > MAX_SIZE)
    yield invalid(["data"], `the values take ${size} bytes; at most ${MAX_SIZE} are allowed`);
}

/** Bytes that a standard base64 text stands for (RFC 4648, section 4; line breaks allowed), or undefined if it is none. */
function base64Size(text: string): number | undefined {
  const dense = text.replace(/[\r\n]/g, "");
  if (dense.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(dense)) return undefined;
  return Buffer.byteLength(dense, "base64");
}

/** Merges `stringData`, which wins, into `data`. */
export function defaultSecret(secret: Secret): Secret {
  const { stringData, data, ...rest } = secret;
  if (stringData === undefined && data !== undefined && secret.type !== undefined) return secret;
  const encoded = Object.entries(stringData ?? {}).map(([key, text]): [string, string] => [
    key,
    Buffer.from(text).toString("base64"),
  ]);
  // Not by assignment: a key may be `__proto__`.
  const merged = Object.fromEntries([...Object.entries(data ?? {}), ...encoded]);
  return { ...rest, type: secret.type ?? "Opaque", data: merged };
}
