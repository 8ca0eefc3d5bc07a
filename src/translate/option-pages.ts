import type { BuildContext } from "./config-builder.js";

/** The Service of the option errorPageService becomes an upstream. */
export function addOptionPages({ options, backends, diagnostics }: BuildContext): void {
  const reference = options.errorPages?.service;
  if (reference === undefined) return;
  backends.add(reference);
  const problem = backends.problemOf(reference);
  if (problem === undefined) return;
  diagnostics.report({ ...problem, message: `option errorPageService: ${problem.message}` });
}
