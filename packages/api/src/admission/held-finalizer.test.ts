import { expect, it } from 'vitest';
import { heldFinalizerErrors } from './held-finalizer.ts';

const OWN_FINALIZER = 'fairway.dev/cloud-resources';
const object = (...finalizers: string[]) => ({
  metadata: { name: 'demo', ...(finalizers.length > 0 && { finalizers }) },
});

it.each([
  { reason: 'the finalizer is removed', before: [OWN_FINALIZER], after: [], says: /must stay in the list/ },
  {
    reason: 'the finalizer is replaced',
    before: [OWN_FINALIZER],
    after: ['example.com/x'],
    says: /must stay in the list/,
  },
  { reason: 'the finalizer is added', before: [], after: [OWN_FINALIZER], says: /set only by Fairway/ },
])('refuses the change if $reason', ({ before, after, says }) => {
  expect(heldFinalizerErrors(object(...after), object(...before))).toEqual([
    { type: 'FieldValueForbidden', field: 'metadata.finalizers', detail: expect.stringMatching(says) },
  ]);
});

it.each([
  { reason: 'another finalizer is added', before: [OWN_FINALIZER], after: [OWN_FINALIZER, 'example.com/x'] },
  { reason: 'another finalizer is removed', before: ['example.com/x', OWN_FINALIZER], after: [OWN_FINALIZER] },
  { reason: 'the object has no finalizers', before: [], after: [] },
])('accepts the change if $reason', ({ before, after }) => {
  expect(heldFinalizerErrors(object(...after), object(...before))).toEqual([]);
});
