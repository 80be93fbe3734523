/**
 * Text that the desk itself puts on record: messages of errors, lines of commands, titles taken from an input. What
 * comes in by a request is refused where it is no such text; what is ours to say is made into it. Without control
 * characters (but tab and line ends), and without half a surrogate pair, which a database would keep as another
 * character than the one that was hashed.
 * @param most_chars where it is cut, never through the middle of a character
 */
export function keptText(text: string, most_chars = Infinity): string {
  const cut = text.length > most_chars ? text.slice(0, most_chars) : text;
  // oxlint-disable-next-line no-control-regex -- they are what is to be removed
  const plain = cut.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '');
  return wellFormed(text.length > most_chars ? plain.replace(/[\uD800-\uDBFF]$/, '') : plain);
}

/** Text with a replacement character for every half of a surrogate pair, which has no UTF-8 form. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
