/** Control characters except line ends and tabs, and those that turn the direction of text round. */
const ACTS_ON_TERMINALS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/** What others wrote, such as a tenant, a cloud or a server, without a way to move the cursor or to look like something else: as kubectl, ESC becomes `^[`. */
export function printable(text: string): string {
  return text.replaceAll(ACTS_ON_TERMINALS, (character) => {
    const code = character.charCodeAt(0);
    if (character === '\n' || character === '\t') return character;
    if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
