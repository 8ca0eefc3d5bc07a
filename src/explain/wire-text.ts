/**
 * Text as it travels: one character for each byte of its UTF-8 form. nginx, Lua and PCRE compare bytes, so what they decide is
 * decided here on such text.
 */
export function toWire(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** The text of bytes, for people; what is no UTF-8 becomes U+FFFD. */
export function fromWire(wire: string): string {
  return Buffer.from(wire, "latin1").toString("utf8");
}
