/** Diagnostics of reading: files, YAML, objects and what an API server would refuse. */
import type { CatalogEntry } from "./catalog-entry.js";

export const INPUT_DIAGNOSTICS = {
  FILE_UNREADABLE: {
    severity: "error",
    title: "a file can't be read",
    explanation:
      "The file or folder exists, but its content can't be read: permissions, a broken link, or text that is not UTF-8. Its objects are not served; while albc runs, its last good content stays.",
    hint: "make the file readable and save it as UTF-8",
  },
  FILE_MISSING: {
    severity: "error",
    title: "a given path does not exist",
    explanation:
      "`albc run` removes the objects of a missing file or folder, as if it were empty. The other commands fail when they start.",
    hint: "restore the path, or start albc without it",
  },
  YAML_INVALID: {
    severity: "error",
    title: "a file is not valid YAML",
    explanation:
      "The file can't be parsed, so its objects can't be told apart safely. At start none is served, and /readyz is 503 until the file is repaired (option startWithErrors). While albc runs, the file's last good content stays. Other files are not affected.",
    hint: "correct the text; nothing of this file is used until then",
  },
  YAML_DUPLICATE_KEY: {
    severity: "error",
    title: "a mapping contains a key twice",
    explanation:
      "Parsers disagree about which value counts, so albc uses neither and treats the file as unreadable.",
    hint: "remove one of the two, or merge them",
  },
  INTERNAL_ERROR: {
    severity: "error",
    title: "a bug in albc affects an object",
    explanation:
      "Translating the object failed. Its hosts and paths answer 503; all other objects are served. The metric albc_faulty_objects and the text of /readyz count such objects.",
    hint: "report the message with the object; as a workaround, remove its unusual fields",
  },
  PROBLEMS_NOT_LISTED: {
    severity: "warning",
    title: "an object has more problems than are listed",
    explanation:
      "albc lists at most 50 problems of reading an object and 50 of translating it, errors first. This entry counts the others, at the place of the first.",
    hint: "correct those that are listed, and look again",
  },
  OBJECT_MALFORMED: {
    severity: "error",
    title: "a document is not a Kubernetes object",
    explanation:
      "Without apiVersion, kind and metadata.name it can't be identified. It is not served.",
    hint: "give it an apiVersion, a kind and a metadata.name, or remove it",
  },
  KIND_MISSPELT: {
    severity: "error",
    title: "an object's kind or API group is probably misspelt",
    explanation:
      "The name or group is close to that of a kind that albc reads, the fields are exactly those of such a kind, or the object is in a list whose kind is not List. The object is not served. If its kind may protect paths, the readable parts of it answer 503. Other kinds are ignored.",
    hint: "correct kind or apiVersion",
  },
  OBJECT_VERSION: {
    severity: "error",
    title: "albc does not read this API version of an object",
    explanation:
      "The kind is known, but this version's fields may mean something else. It is not served; what it applies to answers 503.",
    hint: "convert the object to the version that the message names",
  },
  OBJECT_DUPLICATE: {
    severity: "error",
    title: "two objects have the same kind, namespace and name",
    explanation:
      "The first one, in the order of the given files, is served. Where another one differs, its paths answer 503, even those that the first one also has, since it may protect them. If two ALB2s, Frontends, Gateways or ListenerSets differ, both are closed, because others attach to them by name.",
    hint: "rename or remove one of them",
  },
  FIELD_MISPLACED: {
    severity: "error",
    title: "an unknown field may protect an object or select its requests",
    explanation:
      "The kind has no such field here, but its name or content is one of authentication, or its name is one or two letters away from a field that selects requests. Without it the object would be open or serve other requests. Its hosts and paths answer 503; while albc runs, its last good content stays.",
    hint: "correct the field's name or its indentation",
  },
  FIELD_INVALID: {
    severity: "error",
    title: "a field's value is invalid",
    explanation:
      "A Kubernetes API server would refuse the object for this value, or the field is empty (`host:`), so its effect on requests is unknown. The object is not served.",
    hint: "correct the value",
  },
  FIELD_MISSING: {
    severity: "error",
    title: "a required field is missing",
    explanation:
      "A Kubernetes API server would refuse the object without this field. It is not served.",
    hint: "add the field",
  },
  FIELD_UNKNOWN: {
    severity: "warning",
    title: "a field is unknown",
    explanation:
      "The kind has no such field, so it has no effect; kubectl warns too. The object is served without it.",
    hint: "correct the field's name or remove it",
  },
  LAST_GOOD_KEPT: {
    severity: "warning",
    title: "an object's last good content is served",
    explanation:
      "While albc runs, a file or object that becomes unreadable keeps its last good content, so a half-written or wrong edit breaks nothing. Objects removed from other files meanwhile stay too, because they may have moved there. A restart would lose all of these.",
    hint: "correct the error that is reported beside this one",
  },
} as const satisfies Record<string, CatalogEntry>;
