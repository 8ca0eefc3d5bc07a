import { createHash } from "node:crypto";
import { startLuaNginx, type LuaNginx } from "../../support/lua-nginx.js";
import { readVectors } from "../../support/vectors.js";

interface Vector {
  readonly password: string;
  readonly salt: string;
  readonly digest: string;
}

// Made by `openssl passwd -apr1 -salt SALT -stdin`.
const vectors = readVectors("apr1") as readonly Vector[];

/** The algorithm as its description has it, without any cleverness; openssl cuts passwords at 256 bytes. */
function reference(password: Buffer, salt: string): string {
  const md5 = (...parts: readonly (Buffer | string)[]) =>
    parts.reduce((hash, part) => hash.update(part), createHash("md5")).digest();
  const mix = md5(password, salt, password);
  const parts: (Buffer | string)[] = [password, "$apr1$", salt];
  for (let i = 0; i < password.length; i += 16) parts.push(mix.subarray(0, password.length - i));
  for (let i = password.length; i > 0; i >>= 1) parts.push(i & 1 ? "\0" : password.subarray(0, 1));
  let final = md5(...parts);
  for (let i = 0; i < 1000; i++) {
    const odd = i % 2 === 1;
    const middle = [...(i % 3 ? [salt] : []), ...(i % 7 ? [password] : [])];
    final = md5(odd ? password : final, ...middle, odd ? final : password);
  }
  const alphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const byte = (i: number) => final[i] ?? 0;
  const text = (value: number, count: number) =>
    Array.from({ length: count }, (_, i) => alphabet[(value >> (6 * i)) & 63]).join("");
  const triples = [0, 1, 2, 3, 4].map((i) => [i, i + 6, i === 4 ? 5 : i + 12] as const);
  return (
    triples.map(([a, b, c]) => text((byte(a) << 16) | (byte(b) << 8) | byte(c), 4)).join("") +
    text(byte(11), 2)
  );
}

describe("apr1", () => {
  let nginx: LuaNginx;
  beforeAll(async () => {
    nginx = await startLuaNginx();
  });
  afterAll(() => nginx.stop());

  const digest = async (password: Buffer | string, salt: string) => {
    const [value] = await nginx.call("alb.auth.apr1", "digest", Buffer.from(password), salt);
    return value;
  };

  it.each(vectors)("agrees with openssl on $password with salt $salt", async (vector) => {
    expect(await digest(vector.password, vector.salt)).toBe(vector.digest);
  });

  it.each([257, 300, 511, 512, 513, 1000, 1023, 1024])(
    "hashes passwords of %d bytes whole",
    async (size) => {
      const password = Buffer.from(Array.from({ length: size }, (_, i) => (i * 37 + size) % 256));
      expect(await digest(password, "salt.89/")).toBe(reference(password, "salt.89/"));
    },
  );

  it("keeps nothing of a longer password in the next", async () => {
    await digest("x".repeat(1024), "12345678");
    expect(await digest("a", "b")).toBe(reference(Buffer.from("a"), "b"));
  });

  it("outlives garbage collection", async () => {
    for (let i = 0; i < 5; i++) {
      await nginx.call("_G", "collectgarbage");
      await nginx.call("string", "rep", "garbage", 100_000);
      expect(await digest("a", "b")).toBe(reference(Buffer.from("a"), "b"));
    }
  });

  it("takes no password that its memory does not hold", async () => {
    await expect(digest("x".repeat(1025), "12345678")).rejects.toThrow("password or salt too long");
    await expect(digest("x", "123456789")).rejects.toThrow("password or salt too long");
  });
});
