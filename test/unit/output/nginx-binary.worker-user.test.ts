import { mainDirectives, workerUser } from "../../../src/output/nginx-binary.js";
import { EnvironmentError } from "../../../src/support/errors.js";

const isRoot = process.getuid?.() === 0;
const binary = { path: "nginx", version: "1.30.6", directives: "", stream: true, variables: {} };

test("the workers' group is the primary group of their user, whatever its name", async () => {
  if (!isRoot) return;
  // Debian's; others have a group nobody.
  const user = await workerUser("nobody");
  expect(user).toMatchObject({ name: "nobody", uid: 65_534, gid: 65_534 });
  expect(user?.group).toMatch(/^no(?:group|body)$/);
  expect(mainDirectives(binary, user)).toContain(`user nobody ${user?.group ?? ""};`);
});

test.each(["", "root"])("%j is the user of albc", async (name) => {
  expect(await workerUser(name)).toBeUndefined();
  if (isRoot) expect(mainDirectives(binary)).toContain("user root;");
});

test("a user that does not exist is an error", async () => {
  if (!isRoot) return;
  await expect(workerUser("albc-none")).rejects.toThrow(
    new EnvironmentError("the user albc-none of --nginx-user does not exist"),
  );
});
