import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CsiTestHarness, publishRequest, snapshotRequest, volumeRequest } from '../../testing/csi-test-harness.ts';

let harness: CsiTestHarness;
beforeEach(async () => {
  harness = await CsiTestHarness.start();
});
afterEach(() => harness[Symbol.asyncDispose]());

const remove = (id: string) => ({ volume_id: id, secrets: {} });

describe('DeleteVolume', () => {
  test('returns once the volume is deleted, and succeeds if it does not exist', async () => {
    const id = await harness.createVolume('pvc-1');

    expect(await harness.refusal('DeleteVolume', remove(id))).toBe('OK');
    expect(await harness.volumes()).toEqual([]);
    expect(await harness.refusal('DeleteVolume', remove(id))).toBe('OK');
    expect(await harness.refusal('DeleteVolume', remove('../servers'))).toBe('OK');
    expect(await harness.refusal('DeleteVolume', remove(''))).toMatch(/^INVALID_ARGUMENT: volume_id is missing/);
  });

  test('waits for a volume that is still being created', async () => {
    await harness.refusal('CreateVolume', volumeRequest('pvc-1'), 1_000);
    const [volume] = await harness.volumes();

    expect(await harness.refusal('DeleteVolume', remove(volume?.id ?? ''))).toBe('OK');
    expect(await harness.volumes()).toEqual([]);
  });

  test('must be retried while a call is creating the volume', async () => {
    const createCall = harness.begin('CreateVolume', volumeRequest('pvc-1'));
    await harness.clock.pass(1_000);
    const [volume] = await harness.volumes();

    expect(await harness.refusal('DeleteVolume', remove(volume?.id ?? ''))).toMatch(
      /^ABORTED: CreateVolume is in progress/,
    );
    await harness.clock.during(createCall);
  });

  test("does not touch unmarked volumes and another cluster's volumes", async () => {
    const other = await harness.createVolume('pvc-1');
    const { id: plain } = await harness.clock.during(
      harness.client.blockStorage.volumes.create({
        size: 1,
        name: 'pvc-1',
        metadata: { 'cinder.csi.openstack.org/cluster': 'other' },
      }),
    );
    await harness.clock.pass(5_000);
    harness.restart('other');

    expect(await harness.refusal('DeleteVolume', remove(other))).toMatch(
      /^PERMISSION_DENIED: .* belongs to another cluster/,
    );
    expect(await harness.refusal('DeleteVolume', remove(plain))).toMatch(
      /^PERMISSION_DENIED: .* was not created for this cluster/,
    );
    expect(await harness.volumes()).toHaveLength(2);
  });

  test('reports what blocks the deletion', async () => {
    const attached = await harness.createVolume('attached');
    const server = await harness.createServer();
    await harness.call('ControllerPublishVolume', publishRequest(attached, server));
    const original = await harness.createVolume('original');
    await harness.call('CreateSnapshot', snapshotRequest('s', original));

    expect(await harness.refusal('DeleteVolume', remove(attached))).toBe(
      `FAILED_PRECONDITION: volume ${attached} cannot be deleted yet: it is still attached to ${server}`,
    );
    expect(await harness.refusal('DeleteVolume', remove(original))).toMatch(/^FAILED_PRECONDITION: .*have snapshots/);
  });

  test('reports who must act when Cinder fails to delete the volume', async () => {
    const id = await harness.createVolume('pvc-1');
    harness.cloud.faults.add({ service: 'block-storage', action: { kind: 'volumeError', step: 'delete' } });

    expect(await harness.refusal('DeleteVolume', remove(id))).toMatch(/^INTERNAL: Cinder failed to delete volume/);
    expect(await harness.refusal('DeleteVolume', remove(id))).toMatch(/the cloud operator must reset its status/);
  });
});
