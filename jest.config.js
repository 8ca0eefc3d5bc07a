// ts-jest only strips types here (isolatedModules): tsc checks them once for the whole tree in
// `make check`, so a test run does not pay for it again.
import { fileURLToPath } from "node:url";

// The nginx that tests start. `make test` runs them once for each version.
process.env.ALBC_TEST_NGINX ??= fileURLToPath(new URL(".nginx/forky/nginx", import.meta.url));

/** A project that owns the tests matching the globs; they are relative to the repository. */
function project(displayName, globs, more = {}) {
  return {
    displayName,
    testMatch: globs.map((glob) => `<rootDir>/${glob}`),
    testEnvironment: "node",
    extensionsToTreatAsEsm: [".ts"],
    // Sources import "./x.js" as Node wants it; in the tree the file is still x.ts.
    moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
    transform: { "^.+\\.ts$": ["ts-jest", { useESM: true, tsconfig: "tsconfig.json" }] },
    modulePathIgnorePatterns: [
      "<rootDir>/(dist|\\.nginx|\\.image|\\.node|\\.bench|\\.reports|\\.albc)/",
    ],
    restoreMocks: true,
    ...more,
  };
}

/** @type {import("jest").Config} */
export default {
  // Tests start nginx and measure waiting times: more workers than cores would only add noise.
  maxWorkers: 2,
  errorOnDeprecated: true,
  testTimeout: 60_000,
  projects: [
    project("unit", [
      "test/{unit,bench,conformance,property,golden,generated,templates}/**/*.test.ts",
    ]),
    project("lua", ["test/lua/**/*.test.ts"]),
    project("e2e", ["e2e/specs/**/*.e2e.ts"], {
      globalSetup: "<rootDir>/e2e/harness/global-setup.ts",
    }),
    // On a real API server: `make test-cluster` starts one.
    project("cluster", ["e2e/cluster/**/*.e2e.ts"], {
      globalSetup: "<rootDir>/e2e/harness/global-setup.ts",
    }),
    // The package as a user gets it; needs `make build`.
    project("smoke", ["test/smoke/**/*.test.ts"]),
  ],
};
