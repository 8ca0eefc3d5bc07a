/** What text.ts makes, read by the real parser: quoting is right when nginx gives back what was quoted. */
import { fc } from "../../support/fast-check.js";
import { quoted } from "../../../src/render/nginx/text.js";
import { startNginx } from "../../support/nginx-process.js";

const TEXTS = 60;

/** All that quoted takes: no `$`, no control character, not too long. */
const takeable = fc
  .array(
    fc.oneof(
      fc.constantFrom('"', "'", "\\", '\\"', "\\n", "{", "}", ";", "#", " ", "`", "~", "%", "*"),
      fc.string({ unit: "binary", maxLength: 12 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join("").replace(/[$\p{Control}]|\p{Surrogate}/gu, ""));

const setup = (texts: readonly string[]) => ({
  files: (port: number) => ({ "nginx.conf": conf(texts, port) }),
});

/** Each text twice: as a parameter of `return`, and as a value of a map. */
function conf(texts: readonly string[], port: number): string {
  const values = texts.map((text, i) => `    "${i}" ${quoted(text).toString()};`);
  const returns = texts.map(
    (text, i) => `  location = /return/${i} { return 200 ${quoted(text).toString()}; }`,
  );
  return `worker_processes 1;
pid nginx.pid;
events {}
http {
  access_log off;
  map_hash_bucket_size 2048;
  client_body_temp_path tmp/a; proxy_temp_path tmp/b; fastcgi_temp_path tmp/c;
  uwsgi_temp_path tmp/d; scgi_temp_path tmp/e;
  map $arg_n $mapped {
${values.join("\n")}
  }
  server {
    listen 127.0.0.1:${port};
    location = /map { return 200 $mapped; }
${returns.join("\n")}
  }
}
`;
}

test("nginx reads every quoted text as it was", async () => {
  const texts = fc.array(takeable, { minLength: TEXTS, maxLength: TEXTS });
  await fc.assert(
    fc.asyncProperty(texts, async (each) => {
      const nginx = await startNginx(setup(each));
      const get = async (path: string) => (await fetch(`${nginx.origin}${path}`)).text();
      try {
        for (const [i, text] of each.entries()) {
          expect(await get(`/return/${i}`)).toBe(text);
          expect(await get(`/map?n=${i}`)).toBe(text);
        }
      } finally {
        await nginx.stop();
      }
    }),
    { numRuns: 4, endOnFailure: true },
  );
});

test("a text of the largest size that is taken fits into a parameter", async () => {
  const text = '"\\'.repeat(1000);
  const nginx = await startNginx(setup([text]));
  expect(await (await fetch(`${nginx.origin}/return/0`)).text()).toBe(text);
  await nginx.stop();
});
