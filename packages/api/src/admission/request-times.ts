import type { FieldError } from '@fairway/kube/object/field-error';
import { requestTimeMs } from '../domain/request.ts';
import type { CountedRequest } from './counted-requests.ts';

/** Clocks may differ by minutes or by a time zone, but not by more. */
const MAX_AHEAD_MS = 86_400_000;

/**
 * A request is processed once, and only if it is later than the last one, so a mistyped year would be processed now and
 * then block all further requests for years.
 */
export function requestTimeErrors(requests: readonly CountedRequest[], nowMs: number): FieldError[] {
  return requests.flatMap(({ field, value, before, followed }) => {
    const atMs = value === undefined || value === before ? undefined : requestTimeMs(value);
    // After a future time stored by an earlier release, only a later time is accepted.
    const times = [before, followed].map((each) => each && requestTimeMs(each)).filter((ms) => typeof ms === 'number');
    if (atMs === undefined || atMs <= Math.max(nowMs, ...times) + MAX_AHEAD_MS) return [];
    const detail =
      'is more than a day in the future, and earlier requests would be ignored until then: set it to the current time';
    return [{ type: 'FieldValueInvalid', field, value, detail }];
  });
}
