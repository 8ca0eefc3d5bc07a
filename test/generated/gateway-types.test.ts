import { expectGenerated } from "../support/generated-file.js";
import { schemasText, typesText } from "../support/gateway-types.js";

test("src/api/gateway.ts has the types of Gateway API's CRDs", async () => {
  expectGenerated("src/api/gateway.ts", await typesText());
});

test("src/api/schemas/gateway-schemas.ts has their schemas", () => {
  expectGenerated("src/api/schemas/gateway-schemas.ts", schemasText());
});
