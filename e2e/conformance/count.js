// Counts the tests of the suite from its output (standard input) as a jest report would, for .ci/summary.js:
//   node count.js FILE
// Prints the tests that failed.
import { readFileSync, writeFileSync } from "node:fs";

const counts = { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };
for (const line of readFileSync(0, "utf8").split("\n")) {
  const [, result, name] = /^ {4}--- (PASS|FAIL): TestConformance\/(\S+)/.exec(line) ?? [];
  if (result === "PASS") counts.numPassedTests += 1;
  if (result !== "FAIL") continue;
  counts.numFailedTests += 1;
  console.log(`failed: ${name}`);
}
writeFileSync(process.argv[2], JSON.stringify({ ...counts, numPendingTests: 0, numTodoTests: 0 }));
