import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CsiPlace, publishRequest, snapshotRequest, volumeRequest } from '../../testing/csi-place.ts';

let place: CsiPlace;
beforeEach(async () => {
  place = await CsiPlace.start();
});
afterEach(() => place[Symbol.asyncDispose]());

const remove = (id: string) => ({ volume_id: id, secrets: {} });

describe('DeleteVolume', () => {
  test('answers when the volume is deleted, and succeeds if there is none', async () => {
    const id = await place.createVolume('pvc-1');

    expect(await place.refusal('DeleteVolume', remove(id))).toBe('OK');
    expect(await place.volumes()).toEqual([]);
    expect(await place.refusal('DeleteVolume', remove(id))).toBe('OK');
    expect(await place.refusal('DeleteVolume', remove('../servers'))).toBe('OK');
    expect(await place.refusal('DeleteVolume', remove(''))).toMatch(/^INVALID_ARGUMENT: volume_id is missing/);
  });

  test('waits for one that is still being created', async () => {
    await place.refusal('CreateVolume', volumeRequest('pvc-1'), 1_000);
    const [volume] = await place.volumes();

    expect(await place.refusal('DeleteVolume', remove(volume?.id ?? ''))).toBe('OK');
    expect(await place.volumes()).toEqual([]);
  });

  test('is to be retried while a call creates the volume', async () => {
    const making = place.begin('CreateVolume', volumeRequest('pvc-1'));
    await place.clock.pass(1_000);
    const [volume] = await place.volumes();

    expect(await place.refusal('DeleteVolume', remove(volume?.id ?? ''))).toMatch(
      /^ABORTED: CreateVolume is in progress/,
    );
    await place.clock.during(making);
  });

  test('touches neither the volumes of another cluster nor those without marks', async () => {
    const other = await place.createVolume('pvc-1');
    const { id: plain } = await place.clock.during(
      place.client.blockStorage.volumes.create({
        size: 1,
        name: 'pvc-1',
        metadata: { 'cinder.csi.openstack.org/cluster': 'other' },
      }),
    );
    await place.clock.pass(5_000);
    place.restart('other');

    expect(await place.refusal('DeleteVolume', remove(other))).toMatch(
      /^PERMISSION_DENIED: .* belongs to another cluster/,
    );
    expect(await place.refusal('DeleteVolume', remove(plain))).toMatch(
      /^PERMISSION_DENIED: .* was not created for this cluster/,
    );
    expect(await place.volumes()).toHaveLength(2);
  });

  test('reports what blocks the deletion', async () => {
    const attached = await place.createVolume('attached');
    const server = await place.createServer();
    await place.call('ControllerPublishVolume', publishRequest(attached, server));
    const original = await place.createVolume('original');
    await place.call('CreateSnapshot', snapshotRequest('s', original));

    expect(await place.refusal('DeleteVolume', remove(attached))).toBe(
      `FAILED_PRECONDITION: volume ${attached} cannot be deleted yet: it is still attached to ${server}`,
    );
    expect(await place.refusal('DeleteVolume', remove(original))).toMatch(/^FAILED_PRECONDITION: .*have snapshots/);
  });

  test('says who must act when Cinder fails to delete it', async () => {
    const id = await place.createVolume('pvc-1');
    place.cloud.faults.add({ service: 'block-storage', action: { kind: 'volumeError', step: 'delete' } });

    expect(await place.refusal('DeleteVolume', remove(id))).toMatch(/^INTERNAL: Cinder failed to delete volume/);
    expect(await place.refusal('DeleteVolume', remove(id))).toMatch(/the cloud operator must reset its status/);
  });
});
