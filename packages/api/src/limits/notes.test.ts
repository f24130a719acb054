import type { FieldError } from '@fairway/kube/object/field-error';
import { expect, test } from 'vitest';
import type { LimitNote } from '../kinds/plan-limits.ts';
import { aPlan } from '../testing/objects.ts';
import { applyLimitNotes, limitError } from './notes.ts';

const NOW_MS = Date.UTC(2026, 10, 30, 23, 59);
const ERROR: FieldError = { type: 'FieldValueInvalid', field: 'spec.flavor', value: 'c3-8', detail: 'not allowed' };
const note = (fields: Partial<LimitNote>): LimitNote => ({
  limit: 'allowed.flavors',
  value: '',
  enforcement: 'Refuse',
  ...fields,
});

test.each<{ reason: string; notes: LimitNote[]; refused?: string; warned?: string }>([
  { reason: 'without a note', notes: [], refused: 'not allowed' },
  {
    reason: 'the note is on another limit',
    notes: [note({ limit: 'cni.allowed', enforcement: 'Warn' })],
    refused: 'not allowed',
  },
  {
    reason: 'the note is on another value',
    notes: [note({ value: 'b3-8', enforcement: 'Warn' })],
    refused: 'not allowed',
  },
  {
    reason: 'the note explains the limit',
    notes: [note({ reason: 'too few hosts.', alternative: 'use b3-8', link: 'https://example.org/a' })],
    refused: 'not allowed. Too few hosts. Use b3-8. See https://example.org/a',
  },
  {
    reason: 'a note on the value takes precedence over one on all values',
    notes: [note({ reason: 'all' }), note({ value: 'c3-8', reason: 'this one' })],
    refused: 'not allowed. This one',
  },
  { reason: 'the operator only warns', notes: [note({ enforcement: 'Warn' })], warned: 'spec.flavor: not allowed' },
  { reason: 'enforcement starts today', notes: [note({ since: '2026-11-30' })], refused: 'not allowed' },
  {
    reason: 'enforcement starts tomorrow',
    notes: [note({ since: '2026-12-01' })],
    warned: 'spec.flavor: not allowed. Refused from 2026-12-01 on',
  },
  {
    reason: 'enforcement ends tomorrow',
    notes: [note({ until: '2026-12-01' })],
    refused: 'not allowed. Allowed from 2026-12-01 on',
  },
  { reason: 'enforcement ended today', notes: [note({ until: '2026-11-30' })] },
])('refuses $refused, warns $warned: $reason', ({ notes, refused, warned }) => {
  const plan = aPlan({ limitNotes: notes });
  const { errors, warnings } = applyLimitNotes([limitError('allowed.flavors', ERROR, 'c3-8')], plan, NOW_MS);

  expect(errors).toEqual(refused === undefined ? [] : [{ ...ERROR, detail: refused }]);
  expect(warnings).toEqual(warned === undefined ? [] : [warned]);
});

test('always refuses requests beyond limits that Fairway’s controllers enforce', () => {
  const plan = aPlan({ limitNotes: [{ limit: 'maxNodes', value: '', enforcement: 'Warn', reason: 'small cloud' }] });

  expect(applyLimitNotes([limitError('maxNodes', ERROR)], plan, NOW_MS)).toEqual({
    errors: [{ ...ERROR, detail: 'not allowed. Small cloud' }],
    warnings: [],
  });
});

test('keeps errors that are not caused by a limit', () => {
  const plan = aPlan({ limitNotes: [note({ enforcement: 'Warn' })] });

  expect(applyLimitNotes([ERROR], plan, NOW_MS)).toEqual({ errors: [ERROR], warnings: [] });
});
