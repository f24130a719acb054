import type { FieldError } from '@fairway/kube/object/field-error';
import { requestTimeMs } from '../domain/request.ts';
import type { CountedRequest } from './counted-requests.ts';

/** Clocks differ, by minutes or by a time zone, and no more. */
const MAX_AHEAD_MS = 86_400_000;

/** What counts once, and not if it is earlier than the last: a mistyped year would be followed now, and nothing after it for years. */
export function requestTimeErrors(requests: readonly CountedRequest[], nowMs: number): FieldError[] {
  return requests.flatMap(({ field, value, before, followed }) => {
    const atMs = value === undefined || value === before ? undefined : requestTimeMs(value);
    // After one that was stored before this was refused, only a later one counts.
    const times = [before, followed].map((each) => each && requestTimeMs(each)).filter((ms) => typeof ms === 'number');
    if (atMs === undefined || atMs <= Math.max(nowMs, ...times) + MAX_AHEAD_MS) return [];
    const detail =
      'is more than a day in the future, and whatever is asked for before that time would not be done: set it to the time of now';
    return [{ type: 'FieldValueInvalid', field, value, detail }];
  });
}
