import type { ReplicaSet } from '@fairway/kube/kinds/generated/types';
import { describe, expect, it } from 'vitest';
import {
  newSetAnnotations,
  nextRevision,
  REVISION_ANNOTATION,
  REVISION_HISTORY_ANNOTATION,
} from '../../../controllers/deployment/revisions.ts';
import { deployment } from '../../../testing/workloads.ts';

function set(revision: string): ReplicaSet {
  return { metadata: { annotations: { [REVISION_ANNOTATION]: revision } }, spec: { selector: {} } };
}

describe('revisions', () => {
  it.each([
    { revisions: [], next: '1' },
    { revisions: ['1', '10', '9'], next: '11' },
    { revisions: ['3546343826724305832'], next: '3546343826724305833', reason: 'numbers exceed the range of JSON' },
    {
      revisions: ['four', '-2', '99999999999999999999'],
      next: '1',
      reason: 'an annotation that is not a number is ignored',
    },
  ])('increase from $revisions to $next', ({ revisions, next }) => {
    expect(nextRevision(revisions.map(set))).toBe(BigInt(next));
  });

  it('move to the history when a ReplicaSet is reused', () => {
    expect(newSetAnnotations(deployment(1), set('2'), 5n)).toEqual({
      [REVISION_ANNOTATION]: '5',
      [REVISION_HISTORY_ANNOTATION]: '2',
    });
    expect(newSetAnnotations(deployment(1), set('5'), 5n)).toEqual({ [REVISION_ANNOTATION]: '5' });
  });
});
