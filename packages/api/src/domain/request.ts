/** Of a value that asks for something, so much counts, and is recorded in a status. */
export const MAX_REQUEST_LENGTH = 256;

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}

/** What an annotation asks for whose value counts once, in the form in which it is recorded; undefined: nothing. */
export function requestIn({ metadata }: Annotated, annotation: string): string | undefined {
  const value = metadata.annotations?.[annotation];
  return value === undefined ? undefined : recorded(value);
}

/** The form in which a value can be read as it was written: half a character that was cut through would become another one. */
function recorded(value: string): string {
  return value.slice(0, MAX_REQUEST_LENGTH).toWellFormed();
}

/**
 * Whether a request is one that was not followed yet; `followed` is the last one that was, as it is recorded. A value that was taken away asks for nothing.
 * Where both are times, neither does an earlier one: a manifest in a repository may have the one before the last, and is applied again and again.
 */
export function isNewRequest(asked: string | undefined, followed: string | undefined): boolean {
  if (asked === undefined) return false;
  if (followed === undefined) return true;
  // Records of former releases may be longer.
  return recorded(asked) !== recorded(followed) && !isNotLater(asked, followed);
}

/** Whether what is written now was asked for before, or is earlier: nothing comes of it, which whoever writes it does not expect. `before`: what stood there. */
export function isReplayed(
  asked: string | undefined,
  { before, followed }: { readonly before: string | undefined; readonly followed: string | undefined },
): boolean {
  return asked !== undefined && asked !== before && asked !== followed && !isNewRequest(asked, followed);
}

/** What is to be recorded when `asked` has been seen: a value that was taken away, or applied again, is not forgotten. */
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

/** The time that a request is; undefined: it is a word. RFC 3339 alone: Date.parse makes a time of nearly anything. */
export function requestTimeMs(value: string): number | undefined {
  const ms = TIME.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
