/** Characters that are invisible or reorder their neighbours: controls except newlines and tabs, direction marks, zero-width spaces, tags. */
const INVISIBLE =
  /(?![\n\t])\p{Cc}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const ISOLATE = '\u2068';
const END_OF_ISOLATE = '\u2069';
const ISOLATED_PATTERN = /(\u2068[^\u2066-\u2069]*\u2069)/u;

/** Untrusted text with invisible characters escaped as in JSON: `\u202e`. The output of `plainName` is unchanged. */
export function plain(text: string): string {
  return partsOf(text)
    .map(({ inner, isIsolated }) => (isIsolated ? isolate(escape(inner)) : escape(inner)))
    .join('');
}

/** The same for use within a sentence, which a right-to-left name could otherwise reorder. */
export function plainName(name: string): string {
  const visibleText = plain(name);
  const isOpen = partsOf(visibleText).some(({ inner, isIsolated }) => !isIsolated && RIGHT_TO_LEFT.test(inner));
  return isOpen ? isolate(escape(name)) : visibleText;
}

/** Isolates of right-to-left text, and the text around them. */
function partsOf(text: string): readonly { readonly inner: string; readonly isIsolated: boolean }[] {
  return text.split(ISOLATED_PATTERN).map((part, index) => {
    const isIsolated = index % 2 === 1 && RIGHT_TO_LEFT.test(part);
    return { inner: isIsolated ? part.slice(1, -1) : part, isIsolated };
  });
}

function isolate(text: string): string {
  return `${ISOLATE}${text}${END_OF_ISOLATE}`;
}

/** Replaces each invisible character with the result of `write`. */
export function replaceInvisible(text: string, write: (character: string) => string): string {
  return text.replaceAll(INVISIBLE, write);
}

function escape(text: string): string {
  return replaceInvisible(text, (character) =>
    Array.from({ length: character.length }, (_, at) => codePointText(character.charCodeAt(at))).join(''),
  );
}

function codePointText(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
