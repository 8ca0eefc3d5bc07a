/** The form of `--help`. */
import { Help } from "commander";

/** Longest flag that has its description beside it. */
const LONGEST_FLAG = "-H, --header <name: value>";

/** The description of a longer flag begins on the next line, so that 80 columns suffice. */
export const HELP_FORMAT: Partial<Help> = {
  padWidth: () => LONGEST_FLAG.length,
  formatItem: (term, width, description, help) => {
    const format = (shown: string): string =>
      Help.prototype.formatItem.call(help, shown, width, description, help);
    return term.length > width ? `  ${term}\n${format("")}` : format(term);
  },
};
