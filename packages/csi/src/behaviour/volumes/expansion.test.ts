import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CsiPlace, capability, GIB, publishRequest } from '../../testing/csi-place.ts';

let place: CsiPlace;
let volume: string;
beforeEach(async () => {
  place = await CsiPlace.start();
  volume = await place.createVolume('pvc-1');
});
afterEach(() => place[Symbol.asyncDispose]());

const request = (required: number, more: object = {}) => ({
  volume_id: volume,
  capacity_range: { required_bytes: required, limit_bytes: 0 },
  volume_capability: null,
  secrets: {},
  ...more,
});

describe('ControllerExpandVolume', () => {
  test('answers when the volume has the size, and again', async () => {
    const grown = { capacity_bytes: 3 * GIB, node_expansion_required: true };

    expect(await place.call('ControllerExpandVolume', request(2 * GIB + 1))).toEqual(grown);
    expect(await place.call('ControllerExpandVolume', request(2 * GIB + 1))).toEqual(grown);
    expect(await place.volumes()).toMatchObject([{ size: 3, status: 'available' }]);
  });

  test('expands an attached volume', async () => {
    await place.call('ControllerPublishVolume', publishRequest(volume, await place.createServer()));

    const block = { volume_capability: capability(1, true) };
    expect(await place.call('ControllerExpandVolume', request(2 * GIB, block))).toEqual({
      capacity_bytes: 2 * GIB,
      node_expansion_required: false,
    });
    expect(await place.volumes()).toMatchObject([{ size: 2, status: 'in-use' }]);
  });

  test('continues after its deadline', async () => {
    expect(await place.refusal('ControllerExpandVolume', request(2 * GIB), 500)).toMatch(
      /^DEADLINE_EXCEEDED: .* being extended to 2 GiB/,
    );
    expect(await place.refusal('ControllerExpandVolume', request(2 * GIB))).toBe('OK');
  });

  test('says who must act when Cinder fails', async () => {
    place.cloud.faults.add({ service: 'block-storage', action: { kind: 'volumeError', step: 'extend' } });

    expect(await place.refusal('ControllerExpandVolume', request(2 * GIB))).toMatch(
      /^INTERNAL: Cinder failed to extend volume/,
    );
  });

  test('says that the quota is used up', async () => {
    place.cloud.setQuota('demo', { gigabytes: 1 });

    expect(await place.refusal('ControllerExpandVolume', request(2 * GIB))).toMatch(/^RESOURCE_EXHAUSTED/);
  });

  test.each([
    { more: { volume_id: '' }, told: /^INVALID_ARGUMENT: volume_id is missing/ },
    { more: { capacity_range: null }, told: /^INVALID_ARGUMENT: capacity_range is missing/ },
    { more: { volume_id: crypto.randomUUID() }, told: /^NOT_FOUND/ },
    { more: { capacity_range: { required_bytes: 2 * GIB, limit_bytes: GIB } }, told: /^OUT_OF_RANGE/ },
  ])('refuses $more', async ({ more, told }) => {
    expect(await place.refusal('ControllerExpandVolume', request(2 * GIB, more))).toMatch(told);
  });

  test("does not change another cluster's", async () => {
    place.restart('other');

    expect(await place.refusal('ControllerExpandVolume', request(2 * GIB))).toMatch(/^PERMISSION_DENIED/);
    expect(await place.volumes()).toMatchObject([{ size: 1 }]);
  });
});
