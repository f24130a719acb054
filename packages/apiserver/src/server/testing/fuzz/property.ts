import { ApiError } from '@fairway/kube/object/api-error';
import { measureJson } from '@fairway/kube/object/json-bounds';
import * as fc from 'fast-check';

export type Runs = fc.Parameters<unknown>;

const BOUNDS = { maxDepth: 200, maxChars: 3 * 1024 * 1024 };

export function check<T>(arbitrary: fc.Arbitrary<T>, parameters: Runs, test: (value: T) => void): number {
  fc.assert(fc.property(arbitrary, test), parameters as fc.Parameters<[T]>);
  return parameters.numRuns ?? 0;
}

/** Strings composed of pieces, some repeated. */
export function textOf(pieces: readonly string[], maxLength = 30): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...pieces), fc.integer({ min: 2, max: 400 }))
        .map(([text, times]) => text.repeat(times)),
    },
  );
  return fc.array(piece, { maxLength }).map((parts) => parts.join(''));
}

/** Runs a function that may fail only with one of these errors; returns undefined if it did. */
export function allowErrors<T>(run: () => T, ...errors: (new (...args: never[]) => Error)[]): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError && error.code >= 400 && error.code < 500) return undefined;
    if (errors.some((type) => error instanceof type)) return undefined;
    throw error;
  }
}

export function expectBounded(value: unknown): void {
  if (value === undefined) return;
  const found = measureJson(value, BOUNDS);
  if (typeof found !== 'number') throw new Error(`too much ${found.kind} at ${found.path}`);
  // Values with shared parts or non-JSON content would not survive a round trip.
  JSON.parse(JSON.stringify(value));
}
