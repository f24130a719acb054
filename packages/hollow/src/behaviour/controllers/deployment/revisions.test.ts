import type { ReplicaSet } from '@fairway/kube/kinds/generated/types';
import { describe, expect, it } from 'vitest';
import {
  newSetAnnotations,
  nextRevision,
  REVISION,
  REVISION_HISTORY,
} from '../../../controllers/deployment/revisions.ts';
import { deployment } from '../../../testing/workloads.ts';

function set(revision: string): ReplicaSet {
  return { metadata: { annotations: { [REVISION]: revision } }, spec: { selector: {} } };
}

describe('revisions', () => {
  it.each([
    { revisions: [], next: '1' },
    { revisions: ['1', '10', '9'], next: '11' },
    { revisions: ['3546343826724305832'], next: '3546343826724305833', reason: 'numbers go beyond those of JSON' },
    { revisions: ['four', '-2', '99999999999999999999'], next: '1', reason: 'what is no number counts for nothing' },
  ])('after $revisions comes $next', ({ revisions, next }) => {
    expect(nextRevision(revisions.map(set))).toBe(BigInt(next));
  });

  it('of a set that is used again leaves the old one in its history', () => {
    expect(newSetAnnotations(deployment(1), set('2'), 5n)).toEqual({ [REVISION]: '5', [REVISION_HISTORY]: '2' });
    expect(newSetAnnotations(deployment(1), set('5'), 5n)).toEqual({ [REVISION]: '5' });
  });
});
