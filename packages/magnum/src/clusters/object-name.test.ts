import { MAX_CLUSTER_NAME_LENGTH, nameProblem } from '@fairway/api/names';
import { describe, expect, test } from 'vitest';
import { generatedName, objectName } from './object-name.ts';

describe('the name of an object', () => {
  test.each(['demo', 'a-1', 'x'.repeat(24)])('is unchanged for %s', (name) => {
    expect(objectName(name, MAX_CLUSTER_NAME_LENGTH)).toBe(name);
  });

  test.each(['My_Cluster', 'a.b', 'trailing-', 'x'.repeat(242), 'A', '___'])(
    'is valid and deterministic for %s',
    (name) => {
      const generated = objectName(name, MAX_CLUSTER_NAME_LENGTH);
      expect(nameProblem(generated, MAX_CLUSTER_NAME_LENGTH)).toBeUndefined();
      expect(objectName(name, MAX_CLUSTER_NAME_LENGTH)).toBe(generated);
    },
  );

  test('differs for similar names', () => {
    expect(objectName('A_b', 24)).not.toBe(objectName('A.b', 24));
  });

  test.each([0, 0.999_999])('is generated in Magnum’s style', (random) => {
    expect(generatedName(() => random)).toMatch(/^[a-z]+-\d{1,3}-cluster$/);
  });
});
