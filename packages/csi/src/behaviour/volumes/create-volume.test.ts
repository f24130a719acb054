import { ZONE_KEY } from '@fairway/cloud-provider/volumes/driver';
import { storageOwner } from '@fairway/tenancy/cloud/ownership';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccessMode } from '../../protocol/messages.ts';
import { CsiTestHarness, capability, GIB, volumeRequest } from '../../testing/csi-test-harness.ts';

let harness: CsiTestHarness;
beforeEach(async () => {
  harness = await CsiTestHarness.start();
});
afterEach(() => harness[Symbol.asyncDispose]());

const createCounts = () =>
  harness.cloud.calls.counts().filter(({ method, template }) => method === 'POST' && template.endsWith('/volumes'));
const createCount = () => createCounts().reduce((sum, { count }) => sum + count, 0);

describe('CreateVolume', () => {
  test('returns once Cinder has created the volume, which is marked from the start', async () => {
    const parameters = { 'csi.storage.k8s.io/pvc/name': 'data', 'csi.storage.k8s.io/pvc/namespace': 'default' };
    const { volume } = await harness.call<{ volume: object }>('CreateVolume', volumeRequest('pvc-1', { parameters }));

    const [created] = await harness.volumes();
    expect(created).toMatchObject({ name: 'pvc-1', size: 1, status: 'available', metadata: parameters });
    expect(created && storageOwner(created)).toEqual({ clusterUid: 'own', object: 'pvc-1' });
    expect(volume).toMatchObject({ volume_id: created?.id, capacity_bytes: GIB });
  });

  test('creates one volume per name, regardless of repeated calls', async () => {
    const id = await harness.createVolume('pvc-1');

    expect(await harness.createVolume('pvc-1')).toBe(id);
    harness.restart();
    expect(await harness.createVolume('pvc-1')).toBe(id);
    expect(createCount()).toBe(1);
  });

  test('creates two volumes concurrently', async () => {
    const calls = [
      harness.begin('CreateVolume', volumeRequest('a')),
      harness.begin('CreateVolume', volumeRequest('b')),
    ];
    await harness.clock.during(Promise.all(calls));

    expect(new Set((await harness.volumes()).map(({ name }) => name))).toEqual(new Set(['a', 'b']));
  });

  test('must be retried while the first call is in progress', async () => {
    const first = harness.begin('CreateVolume', volumeRequest('pvc-1'));

    expect(await harness.refusal('CreateVolume', volumeRequest('pvc-1'))).toMatch(
      /^ABORTED: CreateVolume is in progress/,
    );
    await harness.clock.during(first);
  });

  test('fails at its deadline, and the next call finds the volume', async () => {
    expect(await harness.refusal('CreateVolume', volumeRequest('pvc-1'), 1_000)).toMatch(
      /^DEADLINE_EXCEEDED: volume .* is being created by Cinder: still in progress, retry the call/,
    );
    await harness.createVolume('pvc-1');
    expect(createCount()).toBe(1);
  });

  test('does not create a second volume after a lost response or a kill', async () => {
    harness.cloud.faults.add({
      service: 'block-storage',
      method: 'POST',
      path: '/volumes$',
      action: { kind: 'drop', when: 'after' },
    });
    expect(await harness.refusal('CreateVolume', volumeRequest('pvc-1'))).toMatch(/^UNAVAILABLE/);
    harness.restart();

    await harness.createVolume('pvc-1');

    expect(await harness.volumes()).toHaveLength(1);
  });

  test('finds a volume that another process has just created', async () => {
    const other = harness.secondProcess();
    await other.createVolume('pvc-0');
    const id = await harness.createVolume('pvc-1');

    expect(await other.createVolume('pvc-1')).toBe(id);
  });

  test('deletes a volume that Cinder fails to create, and creates another on the next call', async () => {
    harness.cloud.faults.add({ service: 'block-storage', action: { kind: 'volumeError', step: 'create' } });
    expect(await harness.refusal('CreateVolume', volumeRequest('pvc-1'))).toMatch(
      /^INTERNAL: Cinder failed to create volume .* it ended in status error and was deleted/,
    );
    await harness.createVolume('pvc-1');
    expect((await harness.volumes()).map(({ status }) => status)).toEqual(['available']);
  });

  test('makes only a few requests per minute if all creations fail', async () => {
    harness.cloud.faults.add({
      service: 'block-storage',
      times: null,
      action: { kind: 'volumeError', step: 'create' },
    });
    for (let second = 0; second < 600; second += 5) {
      for (const name of ['a', 'b', 'c']) await harness.refusal('CreateVolume', volumeRequest(name));
      await harness.clock.pass(5_000);
    }
    const before = createCount();
    for (let second = 0; second < 600; second += 5) {
      for (const name of ['a', 'b', 'c']) await harness.refusal('CreateVolume', volumeRequest(name));
      await harness.clock.pass(5_000);
    }

    expect(createCount() - before).toBeLessThanOrEqual(10);
  });

  test('reports that the quota is used up', async () => {
    harness.cloud.setQuota('demo', { volumes: 0 });

    expect(await harness.refusal('CreateVolume', volumeRequest('pvc-1'))).toMatch(/^RESOURCE_EXHAUSTED: .*quota/);
  });

  test('rejects a name that belongs to a different volume', async () => {
    await harness.createVolume('pvc-1', { capacity_range: { required_bytes: GIB, limit_bytes: GIB } });

    const largerRequest = volumeRequest('pvc-1', { capacity_range: { required_bytes: 2 * GIB, limit_bytes: 0 } });
    expect(await harness.refusal('CreateVolume', largerRequest)).toMatch(
      /^ALREADY_EXISTS: volume .* has the name pvc-1, but it has 1 GiB/,
    );
    const copy = volumeRequest('pvc-1', { volume_content_source: { volume: { volume_id: crypto.randomUUID() } } });
    expect(await harness.refusal('CreateVolume', copy)).toMatch(/^ALREADY_EXISTS: .* it is a copy of another source/);
  });

  test('creates the volume in the requested zone, and reports where the volume is accessible', async () => {
    await using zones = await CsiTestHarness.start({
      zones: ['a', 'b'].map((name) => ({ name, hosts: 1, hostVcpus: 8, hostRamMiB: 8192, hostDiskGiB: 100 })),
    });
    const zoneBTopology = [{ segments: { [ZONE_KEY]: 'b' } }];

    const { volume } = await zones.call<{ volume: object }>(
      'CreateVolume',
      volumeRequest('pvc-1', { accessibility_requirements: { requisite: zoneBTopology, preferred: [] } }),
    );

    expect(volume).toMatchObject({ accessible_topology: zoneBTopology });
    expect(await zones.volumes()).toMatchObject([{ availability_zone: 'b' }]);
  });

  test('copies a volume into a volume of at least the same size', async () => {
    const original = await harness.createVolume('original', {
      capacity_range: { required_bytes: 2 * GIB, limit_bytes: 0 },
    });
    const volume_content_source = { volume: { volume_id: original } };

    expect(await harness.refusal('CreateVolume', volumeRequest('small', { volume_content_source }))).toMatch(
      /^OUT_OF_RANGE/,
    );
    const copy = await harness.createVolume('copy', { volume_content_source, capacity_range: null });

    const volumes = await harness.volumes();
    expect(volumes.find(({ id }) => id === copy)).toMatchObject({ size: 2, source_volid: original });
  });

  test("refuses to copy another cluster's volume", async () => {
    const original = await harness.createVolume('original');
    harness.restart('other');

    const request = volumeRequest('copy', { volume_content_source: { volume: { volume_id: original } } });
    expect(await harness.refusal('CreateVolume', request)).toMatch(
      /^PERMISSION_DENIED: volume .* belongs to another cluster/,
    );
  });

  test.each([
    { more: { name: '' }, reported: /^INVALID_ARGUMENT: name is missing/ },
    { more: { name: 'x'.repeat(129) }, reported: /^INVALID_ARGUMENT: name is longer than 128 bytes/ },
    { more: { name: 'a\nb' }, reported: /^INVALID_ARGUMENT: name has control characters/ },
    { more: { volume_capabilities: [] }, reported: /^INVALID_ARGUMENT: volume_capabilities is empty/ },
    { more: { parameters: { typ: 'x' } }, reported: /^INVALID_ARGUMENT: parameter "typ" is unknown/ },
    {
      more: { parameters: { type: 'none' } },
      reported: /^INVALID_ARGUMENT: parameter "type" is "none", but Cinder has /,
    },
    {
      more: { parameters: { availability: 'mars' } },
      reported: /^INVALID_ARGUMENT: parameter "availability" is "mars"/,
    },
    { more: { mutable_parameters: { iops: '1' } }, reported: /^INVALID_ARGUMENT: mutable_parameters is set/ },
    { more: { secrets: { cloud: 'x' } }, reported: /^INVALID_ARGUMENT: secrets are set/ },
    {
      more: { volume_capabilities: [capability(AccessMode.multiNodeMultiWriter)] },
      reported: /^INVALID_ARGUMENT: volume_capabilities: several nodes cannot write/,
    },
    { more: { volume_content_source: {} }, reported: /^INVALID_ARGUMENT: volume_content_source specifies neither/ },
    {
      more: { volume_content_source: { volume: { volume_id: 'none' } } },
      reported: /^NOT_FOUND: volume none does not exist in the project/,
    },
  ])('refuses $more', async ({ more, reported }) => {
    expect(await harness.refusal('CreateVolume', volumeRequest('pvc-1', more))).toMatch(reported);
    expect(createCount()).toBe(0);
  });
});
