/** Whatever a setting is, in the options file, as a flag or as a variable: it can be used, or one message says why not. */
import { compileOptions, ingressNginxLabels, resolveSettings } from "../../src/cli/settings.js";
import { SETTINGS, flagOf, variableOf } from "../../src/cli/settings-table.js";
import { UsageError } from "../../src/cli/terminal.js";
import { compile } from "../../src/compile.js";
import { loadResources } from "../../src/input/load.js";
import { environmentConf, nameServers } from "../../src/output/environment.js";
import { visible } from "../../src/support/text.js";
import { fc, runs, timeoutOf } from "../support/fast-check.js";

const circular: unknown[] = [];
circular.push(circular);

const TEXTS = [
  ...[
    "",
    " ",
    ",",
    "-",
    "off",
    "stdout",
    "../../etc/cron.d/x",
    "/etc/passwd",
    "logs/../../x",
    "a\0b",
  ],
  ...[
    "10.0.0.0/99",
    "10.0.0.0/-1",
    "10.0.0.0/",
    "::/129",
    "::ffff:10.0.0.0/24",
    "fe80::1%eth0",
    "1.2.3",
  ],
  ...[
    "[::1]:99999",
    "127.0.0.1:0",
    "127.0.0.1:99999",
    "[fe80::1%1]:53",
    "0x7f.1",
    "[::1",
    "::1]:53",
  ],
  ...[
    "99999999999999999999",
    "999999999999999g",
    "999999999h",
    "1e9",
    "-1",
    "0.0001",
    "NaN",
    "Infinity",
  ],
  ...[
    "default/x",
    "a/b/c",
    "a/b:1",
    "a/b:99999",
    "/",
    "a.b",
    "A.B",
    "a_b",
    "*",
    "x\u001b[31m\ny",
    "\u202e",
  ],
  ...[
    '"; } server { } #',
    "$host",
    "{{x}}",
    "__proto__",
    "constructor",
    "x".repeat(5000),
    "ü",
    "\ud800",
  ],
];
const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: "binary", maxLength: 12 }));
const item = fc.oneof(text, fc.integer(), fc.double(), fc.constant(null), fc.boolean());
const yaml = fc.oneof(
  item,
  fc.array(item, { maxLength: 4 }),
  fc.array(text, { maxLength: 4 }),
  fc.dictionary(text, item, { maxKeys: 2 }),
  fc.constantFrom(circular, new Date(NaN), new Uint8Array(3), 2 ** 53, -0),
);

const INPUT = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: a, namespace: default }
spec:
  tls: [{ hosts: [a.example] }]
  rules: [{ host: a.example, http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: a, port: { number: 80 } } } }] } }]
`;
const { resources } = loadResources([{ path: "a.yaml", text: INPUT }], {
  albGroup: "crd.alauda.io",
});

/** All that is made of settings before a process is started. Whether it was a usage error. */
function isRefused(sources: Parameters<typeof resolveSettings>[0], place: string): boolean {
  try {
    const settings = resolveSettings(sources);
    ingressNginxLabels(settings, {});
    const { diagnostics } = compile(resources, compileOptions(settings));
    expect(diagnostics.filter(({ code }) => code === "INTERNAL_ERROR")).toEqual([]);
    const servers = nameServers(settings.list("resolver"), "");
    environmentConf({ servers, ipv6: true, trustsAuthorities: true, keepsIdle: true });
    return false;
  } catch (error: unknown) {
    if (!(error instanceof UsageError)) throw error;
    expect(error.message).toBe(visible(error.message));
    expect(error.message).toContain(place);
    // The names of all fields of the access log are the longest list of choices.
    expect(error.message.length).toBeLessThan(700);
    return true;
  }
}

const row = fc.constantFrom(...SETTINGS);

test(
  "a value in the options file can be used, or one message names file, line and key",
  () => {
    let refused = 0;
    fc.assert(
      fc.property(row, yaml, ({ key }, value) => {
        const contents = { [key]: value };
        const file = { name: "albc.yaml", contents, lineOf: () => 7 };
        if (isRefused({ flags: {}, variables: {}, file }, key)) refused += 1;
      }),
      runs(500),
    );
    expect(refused).toBeGreaterThan(0);
  },
  timeoutOf(60_000),
);

test(
  "so can that of a flag and a variable",
  () => {
    fc.assert(
      fc.property(row, text, ({ key }, value) => {
        isRefused({ flags: { [key]: value }, variables: {} }, "");
        isRefused({ flags: {}, variables: { [variableOf(key)]: value } }, "");
      }),
      runs(500),
    );
    expect(flagOf("alb")).toBe("--alb");
  },
  timeoutOf(60_000),
);
