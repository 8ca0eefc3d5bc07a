/** Diagnostics of reading: files, YAML, objects and what an API server would refuse. */
import type { CatalogEntry } from "./catalog-entry.js";

export const INPUT_DIAGNOSTICS = {
  FILE_UNREADABLE: {
    severity: "error",
    title: "a file can't be read",
    explanation:
      "The file or folder exists, but its content can't be had: permissions, a broken link, or text that is not UTF-8. What it would have held is not served; while running, its last good content stays.",
    hint: "make the file readable and save it as UTF-8",
  },
  FILE_MISSING: {
    severity: "error",
    title: "a path that was named does not exist",
    explanation:
      "While running, the objects of a file or folder that goes away are removed, as when it had been emptied. At the start of the other commands it is an error of the call.",
    hint: "restore the path, or start albc without it",
  },
  YAML_INVALID: {
    severity: "error",
    title: "a text is not YAML",
    explanation:
      "The file can't be parsed, so none of its objects can be told apart safely. At start none of them is served, and /readyz is 503 until the file is repaired (option startWithErrors); while running, the file's last good content stays. Other files are not affected.",
    hint: "correct the text; nothing of this file is used until then",
  },
  YAML_DUPLICATE_KEY: {
    severity: "error",
    title: "a key stands twice in one mapping",
    explanation:
      "Parsers disagree on which of the two values holds, so neither is taken and the file is treated as unreadable.",
    hint: "remove one of the two, or merge them",
  },
  INTERNAL_ERROR: {
    severity: "error",
    title: "a bug of albc costs an object",
    explanation:
      "Translating the object failed. Its hosts and paths answer 503; all other objects are served as usual. The metric albc_faulty_objects and the text of /readyz count such objects.",
    hint: "report the message with the object; as a workaround, remove its unusual fields",
  },
  PROBLEMS_NOT_LISTED: {
    severity: "warning",
    title: "an object has more problems than are listed",
    explanation:
      "Of one object 50 problems of reading and 50 of translating are listed, errors first. This entry counts the others, at the place of the first of them.",
    hint: "correct those that are listed, and look again",
  },
  OBJECT_MALFORMED: {
    severity: "error",
    title: "a document is not a Kubernetes object",
    explanation:
      "Without apiVersion, kind and metadata.name nobody can say what it is. It is not served.",
    hint: "give it an apiVersion, a kind and a metadata.name, or remove it",
  },
  KIND_MISSPELT: {
    severity: "error",
    title: "an object's kind or API group is probably misspelt",
    explanation:
      "A kind that is read has nearly this name or nearly this group, or the object has just the fields of such a kind, or it stands in a list whose kind is not List. The object is not served; if its kind may protect paths, what can be read of it answers 503. Other kinds are ignored.",
    hint: "correct kind or apiVersion",
  },
  OBJECT_VERSION: {
    severity: "error",
    title: "an object is of an API version that is not read",
    explanation:
      "The kind is known, but not in this version, whose fields may mean something else. It is not served; what it is for answers 503.",
    hint: "convert the object to the version that the message names",
  },
  OBJECT_DUPLICATE: {
    severity: "error",
    title: "two objects have the same kind, namespace and name",
    explanation:
      "The first one stays, in the order in which the files were given. The others are not served: unless they say the same, their paths answer 503, also those that the first one has, since they may protect them. Of two ALB2s, Frontends, Gateways or ListenerSets both are closed, for others attach to them by name.",
    hint: "rename or remove one of them",
  },
  FIELD_MISPLACED: {
    severity: "error",
    title: "an unknown field may protect an object or say what it is for",
    explanation:
      "The kind does not have the field here, but its name or content is one of authentication, or its name is one or two letters away from a field that selects requests. Without it the object would be open, or serve other requests. Its hosts and paths answer 503; while running, its last good content stays.",
    hint: "correct the field's name or its indentation",
  },
  FIELD_INVALID: {
    severity: "error",
    title: "a field's value is invalid",
    explanation:
      "A Kubernetes API server would refuse the object for this value, or the field has no value (`host:`), so what it would say about requests is lost. The object is not served.",
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
    title: "a field is not known",
    explanation:
      "The kind has no such field, so it has no effect; kubectl warns of it too. The object is served without it.",
    hint: "correct the field's name or remove it",
  },
  LAST_GOOD_KEPT: {
    severity: "warning",
    title: "an object's last good content is served",
    explanation:
      "While running, a file or object that becomes unreadable keeps what it last held, so that a half-written or mistaken edit takes nothing down. Objects that meanwhile go from other files stay as well, for they may have moved there. After a restart it would be gone.",
    hint: "correct the error that is reported beside this one",
  },
} as const satisfies Record<string, CatalogEntry>;
