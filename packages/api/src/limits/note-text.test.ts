import { expect, test } from 'vitest';
import type { LimitNote } from '../kinds/plan-limits.ts';
import { noteSentences } from './note-text.ts';
import { plainText } from './rich-text.ts';

const NOW_MS = Date.UTC(2026, 10, 30);

test.each<{ note: Partial<LimitNote>; expectedText: string; reason: string }>([
  { note: {}, expectedText: '', reason: 'a note without text' },
  {
    note: { reason: 'too few hosts', alternative: ' use b3-8\nor b3-16. ', link: 'https://example.org/a' },
    expectedText: 'Too few hosts. Use b3-8 or b3-16. See example.org/a.',
    reason: 'texts become sentences',
  },
  {
    note: { since: '2026-12-01' },
    expectedText: 'Refused from 2026-12-01 on; until then, requests are accepted with a warning.',
    reason: 'an announced limit',
  },
  { note: { since: '2026-11-30' }, expectedText: '', reason: 'a limit since today' },
  { note: { until: '2026-12-01' }, expectedText: 'Allowed from 2026-12-01 on.', reason: 'a limit until tomorrow' },
  {
    note: { enforcement: 'Warn' },
    expectedText: 'Requests are accepted with a warning.',
    reason: 'a limit that is not enforced',
  },
])('"$expectedText": $reason', ({ note: fields, expectedText }) => {
  const note: LimitNote = { limit: 'allowed.flavors', value: '', enforcement: 'Refuse', ...fields };

  expect(
    noteSentences(note, { limitNotes: [note] }, NOW_MS)
      .map(plainText)
      .join(' '),
  ).toBe(expectedText);
});
