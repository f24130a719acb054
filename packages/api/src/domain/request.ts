/** Maximum length of a request value that is compared and recorded in status. */
export const MAX_REQUEST_LENGTH = 256;

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}

/** The value of an annotation that is processed once, in its recorded form; undefined if absent. */
export function requestIn({ metadata }: Annotated, annotation: string): string | undefined {
  const value = metadata.annotations?.[annotation];
  return value === undefined ? undefined : recorded(value);
}

/** A form that survives storage: half a surrogate pair left by truncation would be read back as another character. */
function recorded(value: string): string {
  return value.slice(0, MAX_REQUEST_LENGTH).toWellFormed();
}

/**
 * Whether a request is new; `followed` is the last processed one, as recorded. A removed value requests nothing. If both are times, an earlier one
 * requests nothing either: a manifest in a repository may have an old value that is applied repeatedly.
 */
export function isNewRequest(asked: string | undefined, followed: string | undefined): boolean {
  if (asked === undefined) return false;
  if (followed === undefined) return true;
  // Records of former releases may be longer.
  return recorded(asked) !== recorded(followed) && !isNotLater(asked, followed);
}

/** Whether the written value was already processed or is earlier: it has no effect, which the user should learn. `before` is the previous value. */
export function isReplayed(
  asked: string | undefined,
  { before, followed }: { readonly before: string | undefined; readonly followed: string | undefined },
): boolean {
  return asked !== undefined && asked !== before && asked !== followed && !isNewRequest(asked, followed);
}

/** What to record after `asked` was seen: a removed or repeated value is not forgotten. */
export function followedRequest(asked: string | undefined, followed: string | undefined): string | undefined {
  const last = isNewRequest(asked, followed) ? asked : followed;
  return last === undefined ? undefined : recorded(last);
}

/** Whether both are times, and the first is not after the second. */
export function isNotLater(asked: string, followed: string): boolean {
  const [askedMs, followedMs] = [requestTimeMs(asked), requestTimeMs(followed)];
  return askedMs !== undefined && followedMs !== undefined && askedMs <= followedMs;
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** The request as a time; undefined if it is not one. Only RFC 3339 counts: Date.parse accepts nearly anything. */
export function requestTimeMs(value: string): number | undefined {
  const ms = TIME.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
