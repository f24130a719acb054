import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CsiTestHarness, capability, GIB, publishRequest } from '../../testing/csi-test-harness.ts';

let harness: CsiTestHarness;
let volume: string;
beforeEach(async () => {
  harness = await CsiTestHarness.start();
  volume = await harness.createVolume('pvc-1');
});
afterEach(() => harness[Symbol.asyncDispose]());

const request = (required: number, overrides: object = {}) => ({
  volume_id: volume,
  capacity_range: { required_bytes: required, limit_bytes: 0 },
  volume_capability: null,
  secrets: {},
  ...overrides,
});

describe('ControllerExpandVolume', () => {
  test('returns once the volume has the requested size, including on a repeated call', async () => {
    const expansion = { capacity_bytes: 3 * GIB, node_expansion_required: true };

    expect(await harness.call('ControllerExpandVolume', request(2 * GIB + 1))).toEqual(expansion);
    expect(await harness.call('ControllerExpandVolume', request(2 * GIB + 1))).toEqual(expansion);
    expect(await harness.volumes()).toMatchObject([{ size: 3, status: 'available' }]);
  });

  test('expands an attached volume', async () => {
    await harness.call('ControllerPublishVolume', publishRequest(volume, await harness.createServer()));

    const block = { volume_capability: capability(1, true) };
    expect(await harness.call('ControllerExpandVolume', request(2 * GIB, block))).toEqual({
      capacity_bytes: 2 * GIB,
      node_expansion_required: false,
    });
    expect(await harness.volumes()).toMatchObject([{ size: 2, status: 'in-use' }]);
  });

  test('continues on the next call after its deadline', async () => {
    expect(await harness.refusal('ControllerExpandVolume', request(2 * GIB), 500)).toMatch(
      /^DEADLINE_EXCEEDED: .* being extended to 2 GiB/,
    );
    expect(await harness.refusal('ControllerExpandVolume', request(2 * GIB))).toBe('OK');
  });

  test('reports who must act when Cinder fails', async () => {
    harness.cloud.faults.add({ service: 'block-storage', action: { kind: 'volumeError', step: 'extend' } });

    expect(await harness.refusal('ControllerExpandVolume', request(2 * GIB))).toMatch(
      /^INTERNAL: Cinder failed to extend volume/,
    );
  });

  test('reports that the quota is used up', async () => {
    harness.cloud.setQuota('demo', { gigabytes: 1 });

    expect(await harness.refusal('ControllerExpandVolume', request(2 * GIB))).toMatch(/^RESOURCE_EXHAUSTED/);
  });

  test.each([
    { more: { volume_id: '' }, reported: /^INVALID_ARGUMENT: volume_id is missing/ },
    { more: { capacity_range: null }, reported: /^INVALID_ARGUMENT: capacity_range is missing/ },
    { more: { volume_id: crypto.randomUUID() }, reported: /^NOT_FOUND/ },
    { more: { capacity_range: { required_bytes: 2 * GIB, limit_bytes: GIB } }, reported: /^OUT_OF_RANGE/ },
  ])('refuses $more', async ({ more, reported }) => {
    expect(await harness.refusal('ControllerExpandVolume', request(2 * GIB, more))).toMatch(reported);
  });

  test("does not expand another cluster's volume", async () => {
    harness.restart('other');

    expect(await harness.refusal('ControllerExpandVolume', request(2 * GIB))).toMatch(/^PERMISSION_DENIED/);
    expect(await harness.volumes()).toMatchObject([{ size: 1 }]);
  });
});
