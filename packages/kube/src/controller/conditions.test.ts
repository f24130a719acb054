import { describe, expect, test } from 'vitest';
import type { Condition } from '../object/meta.ts';
import { isConditionTrue, isConditionTrueOf, removeCondition, setCondition, setConditions } from './conditions.ts';

const PREVIOUS = '2026-01-01T00:00:00Z';
const nowMs = Date.UTC(2026, 0, 1, 1);
const ready: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'Creating',
  message: 'm',
  lastTransitionTime: PREVIOUS,
};
const other: Condition = { ...ready, type: 'Other' };

describe('setCondition', () => {
  test.each`
    change                  | set                                                                                            | time
    ${'another status'}     | ${{ type: 'Ready', status: 'True', reason: 'Ready', message: '' }}                             | ${'2026-01-01T01:00:00Z'}
    ${'another reason'}     | ${{ type: 'Ready', status: 'False', reason: 'Waiting', message: 'm' }}                         | ${PREVIOUS}
    ${'another message'}    | ${{ type: 'Ready', status: 'False', reason: 'Creating', message: '2 of 3' }}                   | ${PREVIOUS}
    ${'a newer generation'} | ${{ type: 'Ready', status: 'False', reason: 'Creating', message: 'm', observedGeneration: 2 }} | ${PREVIOUS}
  `('sets the transition time to $time and keeps the position: $change', ({ set, time }) => {
    expect(setCondition([ready, other], set, nowMs)).toEqual([{ ...set, lastTransitionTime: time }, other]);
  });

  test('returns the same list when nothing changes', () => {
    const list = [ready];
    const { lastTransitionTime: _, ...state } = ready;
    expect(setCondition(list, state, nowMs)).toBe(list);
  });

  test('appends a new type, even to an undefined list', () => {
    const { lastTransitionTime: _, ...state } = other;
    expect(setCondition([ready], state, nowMs).map(({ type }) => type)).toEqual(['Ready', 'Other']);
    expect(setCondition(undefined, state, nowMs)).toHaveLength(1);
  });
});

test('a missing condition is not true', () => {
  expect([isConditionTrue([ready], 'X'), isConditionTrue([ready], 'Ready')]).toEqual([false, false]);
});

test('a condition is true only for its own generation', () => {
  const forGeneration4: Condition = { ...ready, status: 'True', observedGeneration: 4 };

  const states = [4, 5, undefined].map((generation) => isConditionTrueOf([forGeneration4], 'Ready', generation));

  expect(states).toEqual([true, false, false]);
  expect(isConditionTrueOf([{ ...forGeneration4, status: 'False' }], 'Ready', 4)).toBe(false);
  expect(isConditionTrueOf(undefined, 'Ready', undefined)).toBe(false);
});

test('removeCondition removes one condition', () => {
  expect(removeCondition([ready, other], 'Ready')).toEqual([other]);
});

test('setConditions sets and removes the given types, and keeps omitted ones', () => {
  const third: Condition = { ...ready, type: 'Third' };
  const { lastTransitionTime: _, ...state } = ready;

  const conditions = setConditions(
    [ready, other, third],
    { Ready: state, Third: undefined, New: state },
    { generation: 7, nowMs },
  );

  expect(conditions).toEqual([
    { ...ready, observedGeneration: 7 },
    other,
    { ...ready, type: 'New', observedGeneration: 7, lastTransitionTime: '2026-01-01T01:00:00Z' },
  ]);
});
