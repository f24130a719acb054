import { ZONE_KEY } from '@fairway/cloud-provider/volumes/driver';
import { storageOwner } from '@fairway/tenancy/cloud/ownership';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccessMode } from '../../protocol/messages.ts';
import { CsiPlace, capability, GIB, volumeRequest } from '../../testing/csi-place.ts';

let place: CsiPlace;
beforeEach(async () => {
  place = await CsiPlace.start();
});
afterEach(() => place[Symbol.asyncDispose]());

const creates = () =>
  place.cloud.calls.counts().filter(({ method, template }) => method === 'POST' && template.endsWith('/volumes'));
const posts = () => creates().reduce((sum, { count }) => sum + count, 0);

describe('CreateVolume', () => {
  test('answers when Cinder has created the volume, which carries its marks', async () => {
    const parameters = { 'csi.storage.k8s.io/pvc/name': 'data', 'csi.storage.k8s.io/pvc/namespace': 'default' };
    const { volume } = await place.call<{ volume: object }>('CreateVolume', volumeRequest('pvc-1', { parameters }));

    const [made] = await place.volumes();
    expect(made).toMatchObject({ name: 'pvc-1', size: 1, status: 'available', metadata: parameters });
    expect(made && storageOwner(made)).toEqual({ clusterUid: 'own', object: 'pvc-1' });
    expect(volume).toMatchObject({ volume_id: made?.id, capacity_bytes: GIB });
  });

  test('creates one volume per name, however often it is called', async () => {
    const id = await place.createVolume('pvc-1');

    expect(await place.createVolume('pvc-1')).toBe(id);
    place.restart();
    expect(await place.createVolume('pvc-1')).toBe(id);
    expect(posts()).toBe(1);
  });

  test('creates one volume for each of two concurrent names', async () => {
    const both = [place.begin('CreateVolume', volumeRequest('a')), place.begin('CreateVolume', volumeRequest('b'))];
    await place.clock.during(Promise.all(both));

    expect(new Set((await place.volumes()).map(({ name }) => name))).toEqual(new Set(['a', 'b']));
  });

  test('is to be retried while the first call is in progress', async () => {
    const first = place.begin('CreateVolume', volumeRequest('pvc-1'));

    expect(await place.refusal('CreateVolume', volumeRequest('pvc-1'))).toMatch(
      /^ABORTED: CreateVolume is in progress/,
    );
    await place.clock.during(first);
  });

  test('ends at its deadline, and the next call finds the volume', async () => {
    expect(await place.refusal('CreateVolume', volumeRequest('pvc-1'), 1_000)).toMatch(
      /^DEADLINE_EXCEEDED: volume .* is being created by Cinder: still in progress, retry the call/,
    );
    await place.createVolume('pvc-1');
    expect(posts()).toBe(1);
  });

  test('creates no second one after a request whose answer was lost, and after a kill', async () => {
    place.cloud.faults.add({
      service: 'block-storage',
      method: 'POST',
      path: '/volumes$',
      action: { kind: 'drop', when: 'after' },
    });
    expect(await place.refusal('CreateVolume', volumeRequest('pvc-1'))).toMatch(/^UNAVAILABLE/);
    place.restart();

    await place.createVolume('pvc-1');

    expect(await place.volumes()).toHaveLength(1);
  });

  test('immediately finds what another process has created', async () => {
    const other = place.beside();
    await other.createVolume('pvc-0');
    const id = await place.createVolume('pvc-1');

    expect(await other.createVolume('pvc-1')).toBe(id);
  });

  test('deletes one that Cinder fails to create, and creates another at the next call', async () => {
    place.cloud.faults.add({ service: 'block-storage', action: { kind: 'volumeError', step: 'create' } });
    expect(await place.refusal('CreateVolume', volumeRequest('pvc-1'))).toMatch(
      /^INTERNAL: Cinder failed to create volume .* it ended in status error and was deleted/,
    );
    await place.createVolume('pvc-1');
    expect((await place.volumes()).map(({ status }) => status)).toEqual(['available']);
  });

  test('costs a few calls a minute if all creations fail', async () => {
    place.cloud.faults.add({ service: 'block-storage', times: null, action: { kind: 'volumeError', step: 'create' } });
    for (let second = 0; second < 600; second += 5) {
      for (const name of ['a', 'b', 'c']) await place.refusal('CreateVolume', volumeRequest(name));
      await place.clock.pass(5_000);
    }
    const before = posts();
    for (let second = 0; second < 600; second += 5) {
      for (const name of ['a', 'b', 'c']) await place.refusal('CreateVolume', volumeRequest(name));
      await place.clock.pass(5_000);
    }

    expect(posts() - before).toBeLessThanOrEqual(10);
  });

  test('says that the quota is used up', async () => {
    place.cloud.setQuota('demo', { volumes: 0 });

    expect(await place.refusal('CreateVolume', volumeRequest('pvc-1'))).toMatch(/^RESOURCE_EXHAUSTED: .*quota/);
  });

  test('detects a different volume of the same name', async () => {
    await place.createVolume('pvc-1', { capacity_range: { required_bytes: GIB, limit_bytes: GIB } });

    const larger = volumeRequest('pvc-1', { capacity_range: { required_bytes: 2 * GIB, limit_bytes: 0 } });
    expect(await place.refusal('CreateVolume', larger)).toMatch(
      /^ALREADY_EXISTS: volume .* has the name pvc-1, but it has 1 GiB/,
    );
    const copy = volumeRequest('pvc-1', { volume_content_source: { volume: { volume_id: crypto.randomUUID() } } });
    expect(await place.refusal('CreateVolume', copy)).toMatch(/^ALREADY_EXISTS: .* it is a copy of another source/);
  });

  test('creates the volume in the requested zone, and reports where it is accessible', async () => {
    await using zones = await CsiPlace.start({
      zones: ['a', 'b'].map((name) => ({ name, hosts: 1, hostVcpus: 8, hostRamMiB: 8192, hostDiskGiB: 100 })),
    });
    const inB = [{ segments: { [ZONE_KEY]: 'b' } }];

    const { volume } = await zones.call<{ volume: object }>(
      'CreateVolume',
      volumeRequest('pvc-1', { accessibility_requirements: { requisite: inB, preferred: [] } }),
    );

    expect(volume).toMatchObject({ accessible_topology: inB });
    expect(await zones.volumes()).toMatchObject([{ availability_zone: 'b' }]);
  });

  test('copies a volume, at least with its size', async () => {
    const original = await place.createVolume('original', {
      capacity_range: { required_bytes: 2 * GIB, limit_bytes: 0 },
    });
    const volume_content_source = { volume: { volume_id: original } };

    expect(await place.refusal('CreateVolume', volumeRequest('small', { volume_content_source }))).toMatch(
      /^OUT_OF_RANGE/,
    );
    const copy = await place.createVolume('copy', { volume_content_source, capacity_range: null });

    const volumes = await place.volumes();
    expect(volumes.find(({ id }) => id === copy)).toMatchObject({ size: 2, source_volid: original });
  });

  test("does not copy another cluster's", async () => {
    const original = await place.createVolume('original');
    place.restart('other');

    const request = volumeRequest('copy', { volume_content_source: { volume: { volume_id: original } } });
    expect(await place.refusal('CreateVolume', request)).toMatch(
      /^PERMISSION_DENIED: volume .* belongs to another cluster/,
    );
  });

  test.each([
    { more: { name: '' }, told: /^INVALID_ARGUMENT: name is missing/ },
    { more: { name: 'x'.repeat(129) }, told: /^INVALID_ARGUMENT: name is longer than 128 bytes/ },
    { more: { name: 'a\nb' }, told: /^INVALID_ARGUMENT: name has control characters/ },
    { more: { volume_capabilities: [] }, told: /^INVALID_ARGUMENT: volume_capabilities is empty/ },
    { more: { parameters: { typ: 'x' } }, told: /^INVALID_ARGUMENT: parameter "typ" is unknown/ },
    { more: { parameters: { type: 'none' } }, told: /^INVALID_ARGUMENT: parameter "type" is "none", but Cinder has / },
    { more: { parameters: { availability: 'mars' } }, told: /^INVALID_ARGUMENT: parameter "availability" is "mars"/ },
    { more: { mutable_parameters: { iops: '1' } }, told: /^INVALID_ARGUMENT: mutable_parameters is set/ },
    { more: { secrets: { cloud: 'x' } }, told: /^INVALID_ARGUMENT: secrets are set/ },
    {
      more: { volume_capabilities: [capability(AccessMode.multiNodeMultiWriter)] },
      told: /^INVALID_ARGUMENT: volume_capabilities: several nodes cannot write/,
    },
    { more: { volume_content_source: {} }, told: /^INVALID_ARGUMENT: volume_content_source specifies neither/ },
    {
      more: { volume_content_source: { volume: { volume_id: 'none' } } },
      told: /^NOT_FOUND: volume none does not exist in the project/,
    },
  ])('refuses $more', async ({ more, told }) => {
    expect(await place.refusal('CreateVolume', volumeRequest('pvc-1', more))).toMatch(told);
    expect(posts()).toBe(0);
  });
});
