import { readAuthFile, readAuthMap } from "../../../../src/translate/auth/basic-auth.js";
import { readVectors } from "../../../support/vectors.js";

interface Found {
  readonly kind: string;
  readonly key: string;
  readonly message: string;
}

function read(layout: "auth-file" | "auth-map", data: Readonly<Record<string, string>>) {
  const findings: Found[] = [];
  const find = (problem: Found): void => void findings.push(problem);
  const users =
    layout === "auth-file"
      ? readAuthFile(data["auth"] ?? "", find)
      : readAuthMap(new Map(Object.entries(data)), find);
  return { users, findings };
}

describe("htpasswd", () => {
  const { cases } = readVectors("htpasswd") as {
    cases: readonly {
      name: string;
      layout: "auth-file" | "auth-map";
      data: Readonly<Record<string, string>>;
      users: Readonly<Record<string, readonly [string, string]>>;
      findings: readonly { kind: string; key: string; contains: string }[];
    }[];
  };

  it.each(cases)("$layout: $name", ({ layout, data, users, findings }) => {
    const found = read(layout, data);
    expect(found.users).toEqual(users);
    expect(found.findings).toHaveLength(findings.length);
    for (const [i, { kind, key, contains }] of findings.entries()) {
      expect(found.findings[i]).toMatchObject({ kind, key });
      expect(found.findings[i]?.message).toContain(contains);
    }
  });

  it("never shows a hash in a message", () => {
    for (const { layout, data } of cases) {
      for (const { message } of read(layout, data).findings)
        expect(message).not.toMatch(/\$|\{S|abJnggx|plain$/);
    }
  });
});

describe("apr1", () => {
  const cases = readVectors("apr1") as readonly { salt: string; digest: string }[];

  it.each(cases)("takes the hash with salt $salt", ({ salt, digest }) => {
    expect(read("auth-file", { auth: `user:$apr1$${salt}$${digest}\n` })).toEqual({
      users: { user: [salt, digest] },
      findings: [],
    });
  });
});
