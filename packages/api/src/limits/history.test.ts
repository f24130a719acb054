import { expect, test } from 'vitest';
import type { LimitNote } from '../kinds/plan-limits.ts';
import { aPlan } from '../testing/objects.ts';
import { changesOfPlan } from './history.ts';
import { plainText } from './rich-text.ts';

const accessMode = (fields: Partial<LimitNote>): LimitNote => ({
  limit: 'storage.accessModes',
  value: '',
  enforcement: 'Refuse',
  ...fields,
});

test('lists beginnings and ends of limits, newest first', () => {
  const plan = aPlan({
    service: 'Magnum',
    storage: { accessModes: ['ReadWriteOnce'], tenantClasses: 'Allowed' },
    limitNotes: [
      accessMode({ since: '2026-01-01', until: '2026-06-01', value: 'ReadWriteMany' }),
      accessMode({ since: '2026-03-01' }),
      accessMode({ since: '2026-04-01', value: 'ReadOnlyMany', enforcement: 'Warn' }),
      accessMode({ limit: 'allowed.proxy', since: '2026-05-01' }),
    ],
  });

  const changes = changesOfPlan(plan, 'this cloud').map(({ date, sentence }) => `${date} ${plainText(sentence)}`);

  expect(changes, 'the plan does not limit allowed.proxy').toEqual([
    '2026-06-01 Persistent volumes (PVs), ReadWriteMany: supported again.',
    '2026-04-01 Persistent volumes (PVs), ReadOnlyMany: requests are accepted with a warning.',
    '2026-03-01 Persistent volumes (PVs): no longer supported.',
    '2026-01-01 Persistent volumes (PVs), ReadWriteMany: no longer supported.',
  ]);
});
