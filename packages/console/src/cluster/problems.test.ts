import { describe, expect, test } from 'vitest';
import { problemsAt, problemsElsewhere, warningsAt, warningsElsewhere } from './problems.ts';

const PROBLEMS = new Map([
  ['metadata.name', ['is taken']],
  ['spec.apiServer.allowedCIDRs[1]', ['is no range']],
  ['spec.replicas', ['is too many']],
  ['', ['the plan is full']],
]);
const WARNINGS = ['spec.replicas: no room', 'spec.flavor (b3-8): no room for a while', 'something else'];

describe('the API’s messages', () => {
  test('appear at their field, and at its parent field', () => {
    expect(problemsAt(PROBLEMS, 'spec.apiServer.allowedCIDRs')).toEqual(['is no range']);
    expect(problemsAt(PROBLEMS, 'spec.replica')).toEqual([]);
    expect(problemsAt(undefined, 'spec.replicas')).toEqual([]);
  });

  test('appear elsewhere if their field is not displayed', () => {
    expect(problemsElsewhere(PROBLEMS, ['metadata.name', 'spec.apiServer'])).toEqual([
      { field: 'spec.replicas', message: 'is too many' },
      { field: '', message: 'the plan is full' },
    ]);
  });

  test('include warnings at fields', () => {
    expect(warningsAt(WARNINGS, 'spec.flavor')).toEqual(['no room for a while']);
    expect(warningsElsewhere(WARNINGS, ['spec.flavor', 'spec.replicas'])).toEqual(['something else']);
  });
});
