/** The nginx that is tested. */
export function testNginx(): string {
  const path = process.env["ALBC_TEST_NGINX"];
  if (path === undefined) throw new Error("ALBC_TEST_NGINX names no nginx");
  return path;
}
