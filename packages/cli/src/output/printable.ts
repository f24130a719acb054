/** Control characters except line breaks and tabs, including those that change the text direction. */
const CONTROL_CHARACTERS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Makes text from tenants, clouds and servers safe for a terminal: it can't move the cursor or disguise itself. As in
 * kubectl, ESC becomes `^[`.
 */
export function printable(text: string): string {
  return text.replaceAll(CONTROL_CHARACTERS, (character) => {
    const code = character.charCodeAt(0);
    if (character === '\n' || character === '\t') return character;
    if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
