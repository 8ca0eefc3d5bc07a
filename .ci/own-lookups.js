// A text of a user may be the name of what every object inherits (`constructor`, `__proto__`), so a record must not be indexed with it.
import ts from "typescript";

const { TypeFlags } = ts;
const TEXT = TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.StringMapping;

/** Flags `record[text]` where the type of `text` is any string; a union of literals is a closed set and is fine. */
export default {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      own: "A name that every object inherits may stand here: use a Map, or own() of src/support/json-object.ts.",
    },
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    const checker = services.program.getTypeChecker();
    const isText = (type) => (type.isUnion() ? type.types.some(isText) : (type.flags & TEXT) !== 0);
    return {
      "MemberExpression[computed=true]"(node) {
        const { parent, property } = node;
        const isWritten = parent.type === "AssignmentExpression" && parent.left === node;
        if (property.type === "Literal" || isWritten) return;
        const object = services.getTypeAtLocation(node.object);
        if (
          checker.isArrayType(object) ||
          checker.isTupleType(object) ||
          (object.flags & TypeFlags.StringLike) !== 0
        )
          return;
        if (isText(services.getTypeAtLocation(property)))
          context.report({ node, messageId: "own" });
      },
    };
  },
};
