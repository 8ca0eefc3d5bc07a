// Adds up what .ci/step left in .reports and ends with the line "N passed, N failed".
//
//   node .ci/summary.js STATUS STEP…
//
// STATUS is the exit status of the run that made the reports, the STEPs are all that should be there.
// A step with a jest report counts its tests, any other step counts as one test. A step that crashed,
// never began or ended, or ran no test counts as one failure, and so does a test that was not run: it
// has shown nothing. Only a step that this machine can't run (STEP.not-run says why) counts as nothing,
// unless CI is set. Exit status 1 if anything failed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";

const REPORTS = ".reports";

/** The counts of one jest report; suites that could not even be loaded hold no tests, yet failed. */
function countTests(report) {
  return {
    passed: report.numPassedTests,
    failed:
      report.numFailedTests +
      report.numRuntimeErrorTestSuites +
      report.numPendingTests +
      report.numTodoTests,
  };
}

function readJestReport(step) {
  const file = `${REPORTS}/${step}.json`;
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined; // Cut off while it was written: the exit status counts.
  }
}

/** The full names of the tests that failed, each with its file and the first line of what went wrong. */
function failuresOf(report) {
  return report.testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const failed = assertionResults.filter(({ status }) => status === "failed");
    if (failed.length === 0 && assertionResults.length === 0)
      return [`${file}: ${firstLine(message)}`];
    return failed.map(
      ({ fullName, failureMessages }) => `${file}: ${fullName}: ${firstLine(failureMessages[0])}`,
    );
  });
}

function firstLine(text = "") {
  return text.trim().split("\n", 1)[0];
}

function succeeded(step) {
  const file = `${REPORTS}/${step}.exit`;
  return existsSync(file) && readFileSync(file, "utf8").trim() === "0";
}

/** Why this machine can't run a step. */
function reasonNotToRun(step) {
  const file = `${REPORTS}/${step}.not-run`;
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

function countStep(step) {
  const ok = succeeded(step);
  const report = readJestReport(step);
  const counts = report ? countTests(report) : { passed: ok ? 1 : 0, failed: 0 };
  const explained = ok ? counts.passed > 0 : counts.failed > 0;
  return explained ? counts : { ...counts, failed: counts.failed + 1 };
}

const [status, ...steps] = process.argv.slice(2);
let passed = 0;
let failed = 0;
const failures = [];
for (const step of steps) {
  const reason = reasonNotToRun(step);
  if (reason !== undefined) console.log(`not run: ${step} (${reason})`);
  if (reason !== undefined && !process.env.CI) continue;
  const counts = countStep(step);
  const report = readJestReport(step);
  if (report?.testResults) failures.push(...failuresOf(report).map((text) => `${step}: ${text}`));
  passed += counts.passed;
  failed += counts.failed;
  console.log(`${step.padEnd(24)} ${counts.passed} passed, ${counts.failed} failed`);
}
// Once more, because the output of the step that says it stands far above.
for (const failure of failures) console.log(`failed: ${failure}`);
// The run itself may have failed where no step could say so.
if (failed === 0 && (status !== "0" || steps.length === 0)) failed = 1;

const line = `${passed} passed, ${failed} failed`;
mkdirSync(REPORTS, { recursive: true });
writeFileSync(`${REPORTS}/summary`, `${line}\n`);
console.log(line);
process.exitCode = failed === 0 ? 0 : 1;
