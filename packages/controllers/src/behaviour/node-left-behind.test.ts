import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { Events } from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';

test("a node and a token that remain in the cluster's API are reported, and don't block the machine forever", async () => {
  const faults = new SwitchedFaults();
  const clock = new SteppingClock();
  await using fairway = await TestFairway.start({ clock, ...faults.options });
  await clock.during(fairway.readyCluster({ replicas: 1 }));
  const [machine] = await fairway.machines();
  const name = machine?.metadata.name ?? '';
  faults.refusesTenantWrites = true;

  await fairway.patch(nodePools, 'general', { spec: { replicas: 0 } });
  await clock.pass(300_000);
  const waiting = await fairway.machines();
  await clock.pass(1_200_000);

  expect(waiting.map(({ metadata }) => metadata.name)).toEqual([name]);
  expect((await fairway.client.resource(machines).list({ namespace: TEAM })).items).toEqual([]);
  const { items } = await fairway.client.resource(Events).list({ namespace: TEAM });
  const event = items.find(({ reason }) => reason === 'NodeLeftBehind');
  expect(event?.involvedObject).toMatchObject({ kind: clusters.kind, name: 'demo' });
  expect(event?.message).toMatch(new RegExp(`^node ${name} and its bootstrap token remain in the cluster: `));
  expect(event?.message).toMatch(new RegExp(`kubectl delete node ${name}$`));
});
