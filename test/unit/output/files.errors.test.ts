import { errorCode, fileError } from "../../../src/output/files.js";
import { EnvironmentError } from "../../../src/support/errors.js";

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: said by the system`), { code });
}

test.each([
  ["ENOSPC", "can't write out/a: the disk is full"],
  ["EACCES", "can't write out/a: permission denied"],
  ["EROFS", "can't write out/a: the file system is read-only"],
  ["EWHATEVER", "can't write out/a: EWHATEVER: said by the system"],
])("%s becomes one sentence", (code, message) => {
  const error = fileError("write", "out/a", systemError(code));
  expect(error).toBeInstanceOf(EnvironmentError);
  expect(error.message).toBe(message);
  expect(errorCode(error.cause)).toBe(code);
});

test.each([null, undefined, "ENOENT", {}, { code: 2 }])("%p has no code", (value) => {
  expect(errorCode(value)).toBe("");
});
