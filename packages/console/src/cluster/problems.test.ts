import { describe, expect, test } from 'vitest';
import { problemsAt, problemsElsewhere, warningsAt, warningsElsewhere } from './problems.ts';

const PROBLEMS = new Map([
  ['metadata.name', ['is taken']],
  ['spec.apiServer.allowedCIDRs[1]', ['is no range']],
  ['spec.replicas', ['is too many']],
  ['', ['the plan is full']],
]);
const WARNINGS = ['spec.replicas: no room', 'spec.flavor (b3-8): no room for a while', 'something else'];

describe('what the API says', () => {
  test('is told at its field, and at the field that it is in', () => {
    expect(problemsAt(PROBLEMS, 'spec.apiServer.allowedCIDRs')).toEqual(['is no range']);
    expect(problemsAt(PROBLEMS, 'spec.replica')).toEqual([]);
    expect(problemsAt(undefined, 'spec.replicas')).toEqual([]);
  });

  test('is told elsewhere if no field is shown for it', () => {
    expect(problemsElsewhere(PROBLEMS, ['metadata.name', 'spec.apiServer'])).toEqual([
      { field: 'spec.replicas', said: 'is too many' },
      { field: '', said: 'the plan is full' },
    ]);
  });

  test('warns at fields too', () => {
    expect(warningsAt(WARNINGS, 'spec.flavor')).toEqual(['no room for a while']);
    expect(warningsElsewhere(WARNINGS, ['spec.flavor', 'spec.replicas'])).toEqual(['something else']);
  });
});
