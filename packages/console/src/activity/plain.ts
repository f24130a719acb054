/** What shows nothing, or has what stands beside it read in another order: controls but line ends and tabs, marks of direction, spaces of no width, tags. */
const UNSEEN =
  /(?![\n\t])\p{Cc}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const ISOLATE = '\u2068';
const END_OF_ISOLATE = '\u2069';

/** A text that others have chosen, with what nobody would see written out, as JSON does: `\u202e`. */
export function plain(text: string): string {
  return text.replaceAll(UNSEEN, (unseen) =>
    Array.from({ length: unseen.length }, (_, at) => escaped(unseen.charCodeAt(at))).join(''),
  );
}

/** The same within a sentence, whose order a name that is read from the right would change. */
export function plainName(name: string): string {
  const seen = plain(name);
  return FROM_THE_RIGHT.test(seen) ? `${ISOLATE}${seen}${END_OF_ISOLATE}` : seen;
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
