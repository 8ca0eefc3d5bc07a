import { readAuthFile, readAuthMap } from "../../../../src/translate/auth/basic-auth.js";
import { readVectors } from "../../../support/vectors.js";

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
    const read =
      layout === "auth-file"
        ? readAuthFile(data["auth"] ?? "")
        : readAuthMap(new Map(Object.entries(data)));
    expect(read.users).toEqual(users);
    expect(read.findings).toHaveLength(findings.length);
    for (const [i, { kind, key, contains }] of findings.entries()) {
      expect(read.findings[i]).toMatchObject({ kind, key });
      expect(read.findings[i]?.message).toContain(contains);
    }
  });

  it("never shows a hash in a message", () => {
    for (const { layout, data } of cases) {
      const map = new Map(Object.entries(data));
      const { findings } =
        layout === "auth-file" ? readAuthFile(data["auth"] ?? "") : readAuthMap(map);
      for (const { message } of findings) expect(message).not.toMatch(/\$|\{S|abJnggx|plain$/);
    }
  });
});

describe("apr1", () => {
  const cases = readVectors("apr1") as readonly { salt: string; digest: string }[];

  it.each(cases)("takes the hash with salt $salt", ({ salt, digest }) => {
    expect(readAuthFile(`user:$apr1$${salt}$${digest}\n`)).toEqual({
      users: { user: [salt, digest] },
      findings: [],
    });
  });
});
