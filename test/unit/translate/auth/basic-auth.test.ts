import { ALB, HASH, compat, grant, harness, secret } from "../../../support/auth-translator.js";

const USERS = secret("default/users", { auth: `foo:${HASH}\n` });
const BASIC = { "auth-type": "basic", "auth-secret": "default/users" };
const KEY = "nginx.ingress.kubernetes.io";

function closedBy(annotations: Readonly<Record<string, string>>, yaml = USERS) {
  const { policyOf, reports } = harness(yaml);
  return { invalid: policyOf(compat(annotations)).invalid, reports: reports() };
}

describe("basic auth of an Ingress", () => {
  it("names the realm and the users of the secret", () => {
    const { policyOf, translator, reports } = harness(USERS);
    const policy = policyOf(compat({ ...BASIC, "auth-realm": 'Say "please"' }));
    expect(policy).toEqual({
      id: policy.id,
      source: `metadata.annotations["${KEY}/auth-type"]`,
      basic: { realm: 'Say "please"', file: "default/users#auth-file" },
    });
    expect(translator.collected().credentials).toEqual([
      {
        id: "default/users#auth-file",
        entries: { foo: ["lZL6V/ci", "PR6QJXkRFUzdUuaYcwrI//"] },
      },
    ]);
    expect(reports()).toEqual([]);
  });

  it.each([
    ["a bare name is of the Ingress's namespace", { ...BASIC, "auth-secret": "users" }],
    ["blanks around values are dropped", { "auth-type": " basic ", "auth-secret": " users\n" }],
    ["the secret type is auth-file by default", { ...BASIC, "auth-secret-type": "" }],
    ["an empty realm is a realm", { ...BASIC, "auth-realm": "" }],
  ])("%s", (_, annotations) => {
    expect(harness(USERS).policyOf(compat(annotations)).basic).toEqual({
      realm: "",
      file: "default/users#auth-file",
    });
  });

  it("protects with the realm off too", () => {
    const { policyOf } = harness(USERS);
    expect(policyOf(compat({ ...BASIC, "auth-realm": "off" })).basic?.realm).toBe("off");
  });

  it("reads an auth-map", () => {
    const { policyOf, translator } = harness(
      secret("default/users", { bob: HASH, eve: `${HASH}\n` }),
    );
    const policy = policyOf(compat({ ...BASIC, "auth-secret-type": "auth-map" }));
    expect(policy.basic?.file).toBe("default/users#auth-map");
    expect(Object.keys(translator.collected().credentials[0]?.entries ?? {})).toEqual([
      "bob",
      "eve",
    ]);
  });

  it("reports other keys of an auth-file and reads the file", () => {
    const { policyOf, reports } = harness(
      secret("default/users", { auth: `foo:${HASH}`, old: "x" }),
    );
    expect(policyOf(compat(BASIC)).invalid).toBeUndefined();
    expect(reports()).toEqual([
      [
        "AUTH_SECRET_KEY_IGNORED",
        "Secret default/users",
        "data.old",
        "key old is not read from an auth-file secret",
      ],
    ]);
  });

  it("reports users who can't log in once, by name, and keeps the others", () => {
    const auth = `foo:${HASH}\nbar:$2y$05$abcdefghijklmnopqrstuv\nfoo:${HASH}\n`;
    const { policyOf, annotated, reports } = harness(secret("default/users", { auth }));
    expect(policyOf(compat(BASIC)).invalid).toBeUndefined();
    annotated(compat({ ...BASIC, "auth-realm": "another" }), { rule: 1, path: 0 });
    expect(reports()).toEqual([
      [
        "AUTH_USER_DUPLICATE",
        "Secret default/users",
        "data.auth",
        'line 3: user "foo" stands further up already',
      ],
      [
        "AUTH_USER_UNUSABLE",
        "Secret default/users",
        "data.auth",
        `line 2: user "bar" can't log in: a bcrypt hash, only apr1 is supported`,
      ],
    ]);
  });

  it("skips a byte order mark", () => {
    const { policyOf, translator } = harness(
      secret("default/users", { auth: `\uFEFFfoo:${HASH}\n` }),
    );
    policyOf(compat(BASIC));
    expect(translator.collected().credentials[0]?.entries).toHaveProperty("foo");
  });
});

describe("broken basic auth closes the path", () => {
  it.each([
    ["digest", { ...BASIC, "auth-type": "digest" }, "auth-type digest is unsupported"],
    ["another type", { ...BASIC, "auth-type": "basic-x" }, "auth-type must be basic"],
    ["a type in another case", { ...BASIC, "auth-type": "Basic" }, "auth-type must be basic"],
    ["a blank type", { ...BASIC, "auth-type": "  " }, "auth-type must be basic"],
    ["no secret", { "auth-type": "basic" }, "auth-type is set without a secret"],
    ["an empty secret", { ...BASIC, "auth-secret": "" }, "auth-type is set without a secret"],
    [
      "a malformed secret",
      { ...BASIC, "auth-secret": "a/b/c" },
      "auth-secret must be <namespace>/<name> or <name>",
    ],
    [
      "a secret's name that is none",
      { ...BASIC, "auth-secret": "default/Us ers" },
      "auth-secret must be <namespace>/<name> or <name>",
    ],
    ["a missing secret", { ...BASIC, "auth-secret": "none" }, "secret default/none not found"],
    [
      "an unknown secret type",
      { ...BASIC, "auth-secret-type": "xauth-map" },
      "auth-secret-type must be auth-file or auth-map",
    ],
    [
      "a line break in the realm",
      { ...BASIC, "auth-realm": "a\r\nX-Evil: b" },
      "auth-realm must not hold line breaks or control characters",
    ],
    [
      "a long realm",
      { ...BASIC, "auth-realm": "x".repeat(4097) },
      "auth-realm is longer than 4096 characters",
    ],
  ])("%s", (_, annotations, invalid) => {
    expect(closedBy(annotations).invalid).toBe(invalid);
  });

  it.each([
    ["no key auth", { users: `foo:${HASH}` }, "has no key auth, which auth-file needs"],
    ["no line", { auth: "" }, "has no usable user"],
    ["other hashes only", { auth: "foo:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=" }, "has no usable user"],
  ])("a secret with %s", (_, data, problem) => {
    const { invalid, reports } = closedBy(BASIC, secret("default/users", data));
    expect(invalid).toBe(`secret default/users ${problem}`);
    expect(reports).toContainEqual([
      "AUTH_SECRET_UNUSABLE",
      "Ingress default/web",
      `metadata.annotations["${KEY}/auth-secret"]`,
      `secret default/users ${problem}`,
    ]);
  });

  it("names everything that is wrong and answers the first", () => {
    const { invalid, reports } = closedBy({
      "auth-type": "digest",
      "auth-secret": "none",
      "auth-realm": "\u0001",
    });
    expect(invalid).toBe("auth-type digest is unsupported");
    expect(reports.map(([code]) => code)).toEqual([
      "AUTH_CONFIG_INVALID",
      "AUTH_REFERENCE_NOT_FOUND",
      "AUTH_UNSUPPORTED",
    ]);
  });

  it("leaves other paths alone, and heals when the secret is there", () => {
    const { annotated, policy } = harness(USERS);
    const broken = annotated(compat({ ...BASIC, "auth-secret": "later" }));
    const fine = annotated(compat(BASIC), { rule: 0, path: 1 });
    expect(policy(broken?.[0]).invalid).toBe("secret default/later not found");
    expect(policy(fine?.[0]).invalid).toBeUndefined();
    const healed = harness(USERS + secret("default/later", { auth: `foo:${HASH}` }));
    expect(healed.policyOf(compat({ ...BASIC, "auth-secret": "later" })).invalid).toBeUndefined();
  });

  it("gives out no users of a secret that a broken policy names", () => {
    const { policyOf, translator } = harness(USERS);
    policyOf(compat({ ...BASIC, "auth-url": "nonsense" }));
    expect(translator.collected().credentials).toEqual([]);
  });
});

describe("secrets of other namespaces", () => {
  const OTHER = secret("other/users", { auth: `foo:${HASH}` });
  const annotations = compat({ ...BASIC, "auth-secret": "other/users" });
  const from = [{ group: "networking.k8s.io", kind: "Ingress", namespace: "default" }];

  it("are closed to an Ingress, whether they exist or not", () => {
    for (const yaml of [OTHER, ""]) {
      const { policyOf, reports } = harness(yaml);
      expect(policyOf(annotations).invalid).toBe("secret other/users is in another namespace");
      expect(reports().map(([code]) => code)).toEqual(["AUTH_REFERENCE_FORBIDDEN"]);
    }
  });

  it("are open by the option", () => {
    const { policyOf } = harness(OTHER, { allowCrossNamespaceAuth: true });
    expect(policyOf(annotations).basic?.file).toBe("other/users#auth-file");
  });

  it.each([
    ["every secret", [{ group: "", kind: "Secret" }]],
    ["the secret's name", [{ group: "", kind: "Secret", name: "users" }]],
  ])("are open by a ReferenceGrant for %s", (_, to) => {
    const { policyOf } = harness(OTHER + grant("other", { from, to }));
    expect(policyOf(annotations).invalid).toBeUndefined();
  });

  it.each([
    ["in another namespace", "default", from, [{ group: "", kind: "Secret" }]],
    ["for another name", "other", from, [{ group: "", kind: "Secret", name: "x" }]],
    ["for another kind", "other", from, [{ group: "", kind: "ConfigMap" }]],
    ["for another group", "other", from, [{ group: "x", kind: "Secret" }]],
    [
      "from another namespace",
      "other",
      [{ ...from[0], namespace: "x" }],
      [{ group: "", kind: "Secret" }],
    ],
    [
      "from another kind",
      "other",
      [{ ...from[0], kind: "HTTPRoute" }],
      [{ group: "", kind: "Secret" }],
    ],
  ])("stay closed by a ReferenceGrant %s", (_, namespace, fromEntries, to) => {
    const { policyOf } = harness(OTHER + grant(namespace, { from: fromEntries, to }));
    expect(policyOf(annotations).invalid).toBe("secret other/users is in another namespace");
  });

  it("are open to the operator's objects", () => {
    const { translator, policy } = harness(OTHER);
    const [id] = translator.fromObject(
      { basic: { secret: "other/users" } },
      { resource: ALB, field: ["spec", "config", "auth"], operator: true },
    );
    expect(policy(id).invalid).toBeUndefined();
  });
});
