import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import { aNodePool } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { recordPoolUpgradeEvents } from './events.ts';
import { targetName } from './progress.ts';

const TARGET = targetName({ flavor: 'id-of-b3-8', image: 'id-of-image', version: '1.36.3', zones: [] });
const STARTED_UPGRADE = { target: TARGET, strategy: 'Rolling', total: 3, startTime: '2026-01-01T00:00:00Z' } as const;

function eventsOf(pool: NodePool, upgrade: Partial<PoolUpgrade>): readonly string[] {
  const events: string[] = [];
  const note = (_about: unknown, reason: string, message: string) => void events.push(`${reason}: ${message}`);
  recordPoolUpgradeEvents({ normal: note, warning: note }, pool, {
    done: 0,
    summary: '0/3',
    ...STARTED_UPGRADE,
    ...upgrade,
  } as PoolUpgrade);
  return events;
}

const POOL = aNodePool({ flavor: 'b3-8' });
const WITH_IMAGE = aNodePool({ flavor: 'b3-8', image: 'Debian 13' });

test.each([
  {
    pool: POOL,
    upgrade: { state: 'Running' },
    said: ['UpgradeStarted: 3 nodes to update to version 1.36.3, flavor b3-8 (Rolling)'],
  },
  {
    pool: WITH_IMAGE,
    upgrade: { state: 'Running' },
    said: ['UpgradeStarted: 3 nodes to update to version 1.36.3, flavor b3-8, image Debian 13 (Rolling)'],
  },
  {
    pool: { ...POOL, status: { upgrade: { ...STARTED_UPGRADE, done: 3 } } } as NodePool,
    upgrade: { state: 'Complete', done: 3, summary: '3/3' },
    said: ['UpgradeComplete: all nodes are updated to version 1.36.3, flavor b3-8 (3/3)'],
  },
  {
    pool: POOL,
    upgrade: { state: 'Complete', total: 0, startTime: undefined },
    said: ['UpgradeComplete: no node left to update: all have version 1.36.3, flavor b3-8'],
  },
] as const)(
  'an upgrade in state $upgrade.state is reported in an Event about its target',
  ({ pool, upgrade, said }) => {
    expect(eventsOf(pool, upgrade)).toEqual(said);
    expect(said.join(' ')).not.toContain(TARGET.slice(-8));
  },
);
