import { ServiceApi } from '@fairway/openstack/service-api';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { SHARE_DRIVER } from '../../shares/driver.ts';
import { sharesOf, startShares } from '../../shares/testing/share-fairway.ts';
import { aClaim } from '../../volumes/testing/objects.ts';

const CLAIMS = 8;
const SnapshotBody = z.object({ snapshot: z.object({ id: z.string() }) });
const HOUR_MS = 3_600_000;
/** Per minute: the project's two periodic lists, and a few calls for retries. */
const CALLS_PER_HOUR = 60 * 6;

function errorResponse(status: number, more: object = {}): FaultInput {
  const action = { kind: 'answer', status, ...more } as const;
  return { service: 'shared-file-system', method: 'POST', path: '/shares$', times: null, action };
}

test.each<{ cause: string; fault: FaultInput | undefined; quota?: number; reported: RegExp }>([
  {
    cause: 'a broken Manila',
    fault: errorResponse(500),
    reported: /Manila at .* returned status 500 while creating shares/,
  },
  {
    cause: 'a Manila that acts but returns 500',
    fault: errorResponse(500, { when: 'after' }),
    reported: /^Provisioning/,
  },
  { cause: 'a missing permission', fault: errorResponse(403), reported: /requires the role member/ },
  { cause: 'a rate limit', fault: errorResponse(429, { retryAfterSeconds: 30 }), reported: /is rate limiting/ },
  {
    cause: 'a failing back end',
    fault: { times: null, action: { kind: 'shareError', step: 'create' } },
    reported: /failed to create a share of 5 GiB: it ended in status error/,
  },
  {
    cause: 'failing lists',
    fault: {
      service: 'shared-file-system',
      method: 'GET',
      path: '/shares/detail',
      times: null,
      action: { kind: 'answer', status: 500 },
    },
    reported: /while reading resources of the project/,
  },
  { cause: 'an exhausted quota', fault: undefined, quota: 0, reported: /quota/ },
])(
  '$cause causes few calls for many claims, is reported, and is followed by automatic recovery',
  async ({ fault, quota, reported }) => {
    await using storage = await startShares();
    const { clock, fairway } = storage;
    const { cloud } = fairway;
    const id = fault && cloud.faults.add(fault);
    if (quota !== undefined) cloud.setQuota('demo', { shares: quota }, 'shared-file-system');
    for (let index = 0; index < CLAIMS; index++) await storage.create(aClaim({}, { name: `data-${index}` }));
    await clock.pass(60_000);

    const calls = await storage.callsIn(HOUR_MS);
    const texts = await storage.messages(SHARE_DRIVER);
    if (id !== undefined) cloud.faults.remove(id);
    if (quota !== undefined) cloud.setQuota('demo', { shares: 100 }, 'shared-file-system');
    await clock.pass(900_000);

    expect(texts.some((text) => reported.test(text))).toBe(true);
    expect(calls).toBeLessThanOrEqual(CALLS_PER_HOUR);
    expect(texts.length).toBeLessThanOrEqual(3 * CLAIMS);
    const createdVolumes = await storage.persistentVolumes();
    expect(createdVolumes.filter(({ status }) => status?.phase === 'Bound')).toHaveLength(CLAIMS);
    expect(await sharesOf(storage)).toHaveLength(CLAIMS);
  },
);

test('reports in Manila’s words why no back end accepts a share', async () => {
  const config = {
    shareTypes: [
      { id: '5a4e7e00-0000-4000-8000-000000000002', name: 'nowhere', extraSpecs: { share_backend_name: 'none' } },
    ],
  };
  await using storage = await startShares({ parameters: { type: 'nowhere' } }, { cloud: config });
  await storage.create(aClaim());
  await storage.clock.pass(120_000);

  expect(await storage.messages(SHARE_DRIVER)).toContainEqual(
    expect.stringMatching(/failed to create a share of 5 GiB of type nowhere: allocate host: No storage could be/),
  );
  const left = await sharesOf(storage);
  expect(left.length).toBeLessThanOrEqual(1);
});

test('keeps a share with snapshots, reports it in the PersistentVolume, and deletes other shares', async () => {
  await using storage = await startShares();
  const { clock, fairway } = storage;
  for (const name of ['kept', 'other']) await storage.create(aClaim({}, { name }));
  await clock.pass(120_000);
  const kept = `pvc-${(await storage.claim('kept'))?.metadata.uid}`;
  const shares = await sharesOf(storage);
  const share = shares.find(({ name }) => name === kept);
  const manila = new ServiceApi(fairway.process.project.client.session, 'shared-file-system');
  const body = { snapshot: { share_id: share?.id, name: 'of somebody' } };
  const { snapshot } = await clock.during(manila.post(SnapshotBody, '/snapshots', { body }));
  await clock.pass(10_000);
  for (const name of ['kept', 'other']) await storage.deleteClaim(name);
  await clock.pass(120_000);
  const left = await sharesOf(storage);
  const reported = await storage.messages(SHARE_DRIVER);
  const calls = await storage.callsIn(HOUR_MS);
  await clock.during(manila.send('DELETE', '/snapshots/{id}', { params: { id: snapshot.id } }));
  await clock.pass(900_000);

  expect(left.map(({ name }) => name)).toEqual([kept]);
  expect(reported).toContainEqual(expect.stringMatching(/^VolumeFailedDelete: .*the share has snapshots/));
  expect(calls).toBeLessThanOrEqual(CALLS_PER_HOUR);
  expect(await sharesOf(storage)).toEqual([]);
});
