import { checkNode } from "../../../src/cli/terminal.js";

test.each(["20.19.2", "22.11.0"])("Node.js %s is too old", (version) => {
  expect(() => {
    checkNode(version);
  }).toThrow(`this is Node.js ${version}; 22.12 or newer is needed`);
});

test.each(["22.12.0", "23.0.0", process.versions.node])("Node.js %s will do", (version) => {
  expect(() => {
    checkNode(version);
  }).not.toThrow();
});
