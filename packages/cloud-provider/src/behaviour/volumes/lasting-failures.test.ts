import type { FaultInput } from '@fairway/simulator/http/faults';
import { expect, test } from 'vitest';
import { aClaim } from '../../volumes/testing/objects.ts';
import { StorageFairway } from '../../volumes/testing/storage-fairway.ts';

const CLAIMS = 20;
const HOUR_MS = 3_600_000;
/** Per minute: the project's two periodic lists, and a few calls for retries. */
const CALLS_PER_HOUR = 60 * 6;

function errorResponse(status: number, more: object = {}): FaultInput {
  const action = { kind: 'answer', status, ...more } as const;
  return { service: 'block-storage', method: 'POST', path: '/volumes$', times: null, action };
}

test.each<{ cause: string; fault: FaultInput | undefined; quota?: number; message: RegExp }>([
  {
    cause: 'a broken Cinder',
    fault: errorResponse(500),
    message: /Cinder at .* returned status 500 while creating volumes/,
  },
  {
    cause: 'a Cinder that acts but returns 500',
    fault: errorResponse(500, { when: 'after' }),
    message: /^Provisioning/,
  },
  { cause: 'a missing permission', fault: errorResponse(403), message: /requires the role member/ },
  { cause: 'a rate limit', fault: errorResponse(429, { retryAfterSeconds: 30 }), message: /is rate limiting/ },
  { cause: 'a conflict', fault: errorResponse(409), message: /block-storage/ },
  {
    cause: 'a failing back end',
    fault: { times: null, action: { kind: 'volumeError', step: 'create' } },
    message: /ended in status error/,
  },
  {
    cause: 'failing lists',
    fault: { service: 'block-storage', method: 'GET', times: null, action: { kind: 'answer', status: 500 } },
    message: /while reading resources of the project/,
  },
  { cause: 'an exhausted quota', fault: undefined, quota: 0, message: /quota exceeded for volumes: 0 allowed/ },
])(
  '$cause causes few calls for many claims, is reported, and is followed by automatic recovery',
  async ({ fault, quota, message }) => {
    await using storage = await StorageFairway.start();
    const { clock, fairway } = storage;
    const { cloud } = fairway;
    const id = fault && cloud.faults.add(fault);
    if (quota !== undefined) cloud.setQuota('demo', { volumes: quota });
    for (let index = 0; index < CLAIMS; index++) await storage.create(aClaim({}, { name: `data-${index}` }));
    await clock.pass(60_000);

    const calls = await storage.callsIn(HOUR_MS);
    const texts = await storage.messages();
    if (id !== undefined) cloud.faults.remove(id);
    if (quota !== undefined) cloud.setQuota('demo', { volumes: 100 });
    await clock.pass(900_000);

    expect(texts.some((text) => message.test(text))).toBe(true);
    expect(calls).toBeLessThanOrEqual(CALLS_PER_HOUR);
    // Per claim: the attempt, the reason for its failure, and the success.
    expect(texts.length).toBeLessThanOrEqual(3 * CLAIMS);
    const createdVolumes = await storage.persistentVolumes();
    expect(createdVolumes.filter(({ status }) => status?.phase === 'Bound')).toHaveLength(CLAIMS);
    expect(await storage.volumes()).toHaveLength(CLAIMS);
  },
);
