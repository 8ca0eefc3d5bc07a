export { freePort } from "../../e2e/harness/free-port.js";
