import { SYNCED_STATE_ANNOTATION } from '@fairway/api/group';
import type { InClusterNodePool } from '@fairway/api/kinds/in-cluster-node-pool';
import { aNodePool } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import { mergeBaseOf, mergeBaseText, readSpec, stateOf } from './merge-base.ts';

const UID = '11111111-2222-4333-8444-555555555555';
const OTHER = '99999999-2222-4333-8444-555555555555';
const STATE = stateOf(aNodePool({}, { uid: OTHER, generation: 4 }));
const MARK = mergeBaseText(STATE, UID);

function inner(mark: string | undefined, shown?: string): InClusterNodePool {
  const annotations = mark === undefined ? {} : { [SYNCED_STATE_ANNOTATION]: mark };
  return {
    metadata: { name: 'general', uid: UID, annotations },
    spec: STATE.spec,
    ...(shown && { status: { shown } }),
  };
}

describe('the state that an object reflects', () => {
  test.each([
    { mark: MARK, shown: undefined, is: true, reason: 'its mark contains it' },
    { mark: mergeBaseText(STATE), shown: undefined, is: true, reason: 'it was just created' },
    { mark: undefined, shown: MARK, is: true, reason: '"kubectl replace" drops the mark, but not the status' },
    { mark: mergeBaseText(STATE, OTHER), shown: undefined, is: false, reason: 'it is a copy of another object' },
    { mark: mergeBaseText(STATE, OTHER), shown: MARK, is: true, reason: 'an old manifest was applied to it' },
    { mark: 'x'.repeat(10_000), shown: undefined, is: false, reason: 'a tenant may write anything' },
    { mark: `${MARK}/more`, shown: '', is: false, reason: 'a tenant may write anything' },
    { mark: undefined, shown: undefined, is: false, reason: 'a user has created it' },
  ])('is known: $is, because $reason', ({ mark, shown, is }) => {
    const { identity, generation, hash } = STATE;

    expect(mergeBaseOf(inner(mark, shown))).toEqual(is ? { identity, generation, hash } : undefined);
  });
});

test('both sides of a pool have the same hash, regardless of which side set the defaults', () => {
  const { metadata } = inner(MARK);
  const bare = { metadata, spec: { flavor: 'b3-8' } } as unknown as InClusterNodePool;

  expect(readSpec(bare)).toEqual({ spec: STATE.spec, hash: STATE.hash });
});

test('an invalid spec is reported with the same message as in Fairway’s API', () => {
  const wrong = { metadata: { name: 'x' }, spec: { replicas: 'many' } } as unknown as InClusterNodePool;

  expect(readSpec(wrong).problem).toMatch(
    /^NodePool.fairway.dev "x" is invalid: \[spec.flavor: Required value, spec.replicas: Invalid value: "many"/,
  );
});
