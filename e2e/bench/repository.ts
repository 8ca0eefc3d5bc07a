import { fileURLToPath } from "node:url";

/** Root of the repository; the compiled form of this file is `.bench/e2e/bench/repository.js`. */
export const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
