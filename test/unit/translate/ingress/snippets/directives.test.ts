import { DIRECTIVES } from "../../../../../src/translate/ingress/snippets/directives.js";
import { SNIPPET_SAMPLES } from "../../../../support/tenants/snippets.js";

test("the laws try each directive", () => {
  expect(Object.keys(SNIPPET_SAMPLES)).toEqual(DIRECTIVES.flatMap(({ names }) => names).sort());
});
