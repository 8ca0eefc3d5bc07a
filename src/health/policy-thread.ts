/** Reads policy.json for the status page in a thread of its own, because that may take a second, in which the health thread must answer probes. */
import { parentPort, workerData } from "node:worker_threads";
import { policyFacts } from "./run-status.js";

parentPort?.postMessage(await policyFacts(String(workerData)));
