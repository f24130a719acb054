import { expect, it } from 'vitest';
import { heldFinalizerErrors } from './held-finalizer.ts';

const OWN = 'fairway.dev/cloud-resources';
const object = (...finalizers: string[]) => ({
  metadata: { name: 'demo', ...(finalizers.length > 0 && { finalizers }) },
});

it.each([
  { reason: 'it is taken off', before: [OWN], after: [], says: /must stay in the list/ },
  { reason: 'another is put in its place', before: [OWN], after: ['example.com/x'], says: /must stay in the list/ },
  { reason: 'it is put on', before: [], after: [OWN], says: /set only by Fairway/ },
])('a change is refused when $reason', ({ before, after, says }) => {
  expect(heldFinalizerErrors(object(...after), object(...before))).toEqual([
    { type: 'FieldValueForbidden', field: 'metadata.finalizers', detail: expect.stringMatching(says) },
  ]);
});

it.each([
  { reason: "others' finalizers come", before: [OWN], after: [OWN, 'example.com/x'] },
  { reason: "others' finalizers go", before: ['example.com/x', OWN], after: [OWN] },
  { reason: 'there is none', before: [], after: [] },
])('a change stands when $reason', ({ before, after }) => {
  expect(heldFinalizerErrors(object(...after), object(...before))).toEqual([]);
});
