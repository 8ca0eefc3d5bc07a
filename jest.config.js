// ts-jest only strips types here (isolatedModules): tsc checks them once for the whole tree in
// `make check`, so a test run does not pay for it again.

/** @type {import("jest").Config} */
const shared = {
  testEnvironment: "node",
  extensionsToTreatAsEsm: [".ts"],
  // Sources import "./x.js" as Node wants it; in the tree the file is still x.ts.
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  transform: { "^.+\\.ts$": ["ts-jest", { useESM: true, tsconfig: "tsconfig.json" }] },
  modulePathIgnorePatterns: ["<rootDir>/(dist|\\.nginx|\\.node|\\.bench|\\.reports|\\.albc)/"],
  restoreMocks: true,
};

/** A project that owns the tests matching the globs; they are relative to the repository. */
function project(displayName, globs) {
  return { ...shared, displayName, testMatch: globs.map((glob) => `<rootDir>/${glob}`) };
}

/** @type {import("jest").Config} */
export default {
  maxWorkers: 2,
  errorOnDeprecated: true,
  projects: [
    project("unit", ["test/{unit,property,golden,generated,templates}/**/*.test.ts"]),
    project("lua", ["test/lua/**/*.test.ts"]),
    project("e2e", ["e2e/**/*.e2e.ts"]),
  ],
};
