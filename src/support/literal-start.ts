/** What a regular expression says about the text that it matches. */

/**
 * Text with which every match of an expression starts, as far as that is easy to see; `""` if it is not. `insensitive`: in any case of
 * its letters.
 */
export function literalStart(
  pattern: string,
  flags: string,
): { readonly text: string; readonly insensitive: boolean } {
  const [, inline = "", rest = ""] = /^(\(\?i\))?(?:\^|\\A)(.*)$/s.exec(pattern) ?? [];
  const insensitive = flags.includes("i") || inline !== "";
  if (withoutGroups(rest).includes("|")) return { text: "", insensitive };
  const [literal = ""] = /^(?:[^\\^$.|?*+()[\]{}]|\\[^A-Za-z0-9])*/.exec(rest) ?? [];
  const next = rest[literal.length] ?? "";
  const kept = "?*{".includes(next) && next !== "" ? literal.replace(/\\?.$/su, "") : literal;
  return { text: kept.replaceAll(/\\(.)/gs, "$1"), insensitive };
}

/** The common start of all paths that an expression matches, or `/`. */
export function pathStart(pattern: string): string {
  const { text, insensitive } = literalStart(pattern, "");
  return insensitive || !text.startsWith("/") ? "/" : text;
}

/** Without escapes, classes and groups; a group that holds an escape or class is removed with it. */
function withoutGroups(pattern: string): string {
  let text = pattern.replaceAll(/\\./gs, "").replaceAll(/\[\^?\]?[^\]]*\]/g, "");
  for (let before = ""; before !== text;) {
    before = text;
    text = text.replaceAll(/\([^()]*\)/g, "");
  }
  return text;
}
