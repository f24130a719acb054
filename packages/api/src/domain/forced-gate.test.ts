import { expect, test } from 'vitest';
import { aCluster } from '../testing/objects.ts';
import { forcedUpdateGate, forcedUpgradeGate } from './forced-gate.ts';

const DAY_MS = 86_400_000;
/** A Sunday. */
const DUE_MS = Date.UTC(2026, 10, 22);
const due = new Date(DUE_MS).toISOString();
const window = { days: ['Wednesday' as const], start: '02:30', duration: '1h', timeZone: 'UTC' };

const reported = { minor: '1.50', notice: 0, noticeTime: due, upgrade: { to: '1.51', time: due } };
const startedUpgrade = { from: '1.50.1', to: '1.51.0', time: due };
const cluster = (status: { endOfLife?: typeof reported; forcedUpgrade?: typeof startedUpgrade }) => ({
  ...aCluster({ maintenance: { window, confineSpecChanges: false } }),
  status,
});

test.each([
  { of: 'control plane', gate: forcedUpgradeGate, status: { endOfLife: reported } },
  { of: 'nodes', gate: forcedUpdateGate, status: { forcedUpgrade: startedUpgrade } },
])('delays the upgrade of the $of by at most two weeks for a maintenance window', ({ gate, status }) => {
  const at = (days: number) => gate(cluster(status), DUE_MS + days * DAY_MS);
  const wednesday = DUE_MS + 3 * DAY_MS + 2.5 * 3_600_000;

  expect(at(0)).toEqual({ isOpen: false, opensAtMs: wednesday });
  expect(gate(cluster(status), wednesday)).toEqual({ isOpen: true });
  expect(at(13)).toEqual({ isOpen: false, opensAtMs: DUE_MS + 14 * DAY_MS });
  expect(at(14)).toEqual({ isOpen: true });
});

test('does not force an upgrade without a notice', () => {
  expect(forcedUpgradeGate(cluster({}), DUE_MS + 400 * DAY_MS).isOpen).toBe(false);
  expect(forcedUpdateGate(cluster({ endOfLife: reported }), DUE_MS + 400 * DAY_MS).isOpen).toBe(false);
});
