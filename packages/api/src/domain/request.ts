/** Maximum length of a request value that is compared and recorded in the status. */
export const MAX_REQUEST_LENGTH = 256;

interface AnnotatedObject {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}

/** The value of an annotation that is processed once, in its recorded form; undefined if absent. */
export function requestValueOf({ metadata }: AnnotatedObject, annotation: string): string | undefined {
  const value = metadata.annotations?.[annotation];
  return value === undefined ? undefined : toRecordedValue(value);
}

/**
 * A form that survives being stored: half a surrogate pair left by truncation would be read back as a different
 * character.
 */
function toRecordedValue(value: string): string {
  return value.slice(0, MAX_REQUEST_LENGTH).toWellFormed();
}

/**
 * Whether a request is new; `followed` is the last processed one, as recorded. A removed value is not a request. If
 * both are times, an earlier one is not a new request either: a manifest in a repository may contain an old value that
 * is applied repeatedly.
 */
export function isNewRequest(requested: string | undefined, followed: string | undefined): boolean {
  if (requested === undefined) return false;
  if (followed === undefined) return true;
  // Values recorded by earlier releases may be longer.
  return toRecordedValue(requested) !== toRecordedValue(followed) && !isNotLater(requested, followed);
}

/**
 * Whether the new value has already been processed or is earlier than the last one. Such a value has no effect, which
 * the user should be told. `before` is the previous value.
 */
export function isReplayed(
  requested: string | undefined,
  { before, followed }: { readonly before: string | undefined; readonly followed: string | undefined },
): boolean {
  return (
    requested !== undefined && requested !== before && requested !== followed && !isNewRequest(requested, followed)
  );
}

/** The value to record after a request has been seen: a removed or repeated value does not replace the record. */
export function requestToRecord(requested: string | undefined, followed: string | undefined): string | undefined {
  const last = isNewRequest(requested, followed) ? requested : followed;
  return last === undefined ? undefined : toRecordedValue(last);
}

/** Whether both are times and the first is not later than the second. */
export function isNotLater(requested: string, followed: string): boolean {
  const [requestedMs, followedMs] = [requestTimeMs(requested), requestTimeMs(followed)];
  return requestedMs !== undefined && followedMs !== undefined && requestedMs <= followedMs;
}

const TIME_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/**
 * The request as a time; undefined if it is not a time. Only RFC 3339 is accepted: Date.parse accepts nearly anything.
 */
export function requestTimeMs(value: string): number | undefined {
  const ms = TIME_PATTERN.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
