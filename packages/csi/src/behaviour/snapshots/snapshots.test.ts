import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CsiSnapshot } from '../../protocol/messages.ts';
import { CsiTestHarness, GIB, snapshotRequest } from '../../testing/csi-test-harness.ts';

let harness: CsiTestHarness;
let volume: string;
beforeEach(async () => {
  harness = await CsiTestHarness.start();
  volume = await harness.createVolume('pvc-1');
});
afterEach(() => harness[Symbol.asyncDispose]());

const createSnapshot = async (name: string) => {
  const { snapshot } = await harness.call<{ snapshot: CsiSnapshot }>('CreateSnapshot', snapshotRequest(name, volume));
  return snapshot;
};
const remove = (id: string) => harness.refusal('DeleteSnapshot', { snapshot_id: id, secrets: {} });
const snapshots = () => harness.clock.during(Array.fromAsync(harness.client.blockStorage.snapshots.list()));

describe('CreateSnapshot', () => {
  test('returns once the snapshot is usable, and returns the same snapshot on a repeated call', async () => {
    const beginMs = harness.clock.now();
    const snapshot = await createSnapshot('s');

    expect(snapshot).toMatchObject({ source_volume_id: volume, size_bytes: GIB, ready_to_use: true });
    expect(snapshot.creation_time.seconds * 1000).toBeGreaterThanOrEqual(beginMs - 1_000);
    harness.restart();
    expect(await createSnapshot('s')).toEqual(snapshot);
    expect(await snapshots()).toHaveLength(1);
  });

  test('continues on the next call after its deadline', async () => {
    expect(await harness.refusal('CreateSnapshot', snapshotRequest('s', volume), 1_000)).toMatch(
      /^DEADLINE_EXCEEDED: snapshot .* is being created/,
    );
    await createSnapshot('s');
    expect(await snapshots()).toHaveLength(1);
  });

  test('does not create a second snapshot after the response to the first request is lost', async () => {
    const action = { kind: 'drop', when: 'after' } as const;
    harness.cloud.faults.add({ service: 'block-storage', method: 'POST', path: '/snapshots$', action });
    expect(await harness.refusal('CreateSnapshot', snapshotRequest('s', volume))).toMatch(/^UNAVAILABLE/);
    harness.restart();

    await createSnapshot('s');
    expect(await snapshots()).toHaveLength(1);
  });

  test('deletes a snapshot that Cinder fails to create', async () => {
    harness.cloud.faults.add({ service: 'block-storage', action: { kind: 'volumeError', step: 'create' } });
    expect(await harness.refusal('CreateSnapshot', snapshotRequest('s', volume))).toMatch(
      /^INTERNAL: Cinder failed to create snapshot/,
    );
    await harness.clock.pass(10_000);

    expect(await snapshots()).toEqual([]);
  });

  test('rejects a name that belongs to a snapshot of a different volume', async () => {
    await createSnapshot('s');
    const second = await harness.createVolume('pvc-2');

    expect(await harness.refusal('CreateSnapshot', snapshotRequest('s', second))).toMatch(/^ALREADY_EXISTS/);
  });

  test('creates a snapshot from which a volume can be created', async () => {
    const { snapshot_id: id } = await createSnapshot('s');
    const copy = await harness.createVolume('copy', { volume_content_source: { snapshot: { snapshot_id: id } } });

    expect((await harness.volumes()).find((each) => each.id === copy)).toMatchObject({ snapshot_id: id });
  });

  test("refuses another cluster's volume, and CreateVolume refuses a copy of its snapshot", async () => {
    const { snapshot_id: id } = await createSnapshot('s');
    harness.restart('other');

    expect(await harness.refusal('CreateSnapshot', snapshotRequest('t', volume))).toMatch(/^PERMISSION_DENIED/);
    await expect(
      harness.createVolume('copy', { volume_content_source: { snapshot: { snapshot_id: id } } }),
    ).rejects.toThrow(/another cluster/);
  });

  test.each([
    { name: '', of: 'x', reported: /^INVALID_ARGUMENT: name is missing/ },
    { name: 's', of: '', reported: /^INVALID_ARGUMENT: source_volume_id is missing/ },
    { name: 's', of: 'x', reported: /^NOT_FOUND: volume x does not exist/ },
  ])('refuses name "$name" for volume "$of"', async ({ name, of, reported }) => {
    expect(await harness.refusal('CreateSnapshot', snapshotRequest(name, of))).toMatch(reported);
  });
});

describe('DeleteSnapshot', () => {
  test('returns once the snapshot is deleted, and succeeds if it does not exist', async () => {
    const { snapshot_id: id } = await createSnapshot('s');

    expect(await remove(id)).toBe('OK');
    expect(await snapshots()).toEqual([]);
    expect(await remove(id)).toBe('OK');
    expect(await remove('none')).toBe('OK');
    expect(await remove('')).toMatch(/^INVALID_ARGUMENT/);
  });

  test("does not touch unmarked snapshots and another cluster's snapshots", async () => {
    const { snapshot_id: other } = await createSnapshot('s');
    const { id: plain } = await harness.clock.during(
      harness.client.blockStorage.snapshots.create({ volume_id: volume }),
    );
    harness.restart('other');

    expect(await remove(other)).toMatch(/^PERMISSION_DENIED/);
    expect(await remove(plain)).toMatch(/^PERMISSION_DENIED/);
    expect(await snapshots()).toHaveLength(2);
  });
});

describe('ListSnapshots', () => {
  const list = async (overrides: object) => {
    const request = {
      max_entries: 0,
      starting_token: '',
      source_volume_id: '',
      snapshot_id: '',
      secrets: {},
      ...overrides,
    };
    const { entries } = await harness.call<{ entries: { snapshot: CsiSnapshot }[] }>('ListSnapshots', request);
    return entries.map(({ snapshot }) => snapshot.snapshot_id);
  };

  test('lists all snapshots, the snapshots of a volume, or a single snapshot', async () => {
    const { snapshot_id: first } = await createSnapshot('s');
    await harness.clock.pass(1_000);
    const second = await harness.createVolume('pvc-2');
    const { snapshot } = await harness.call<{ snapshot: CsiSnapshot }>('CreateSnapshot', snapshotRequest('t', second));

    expect((await list({})).sort()).toEqual([first, snapshot.snapshot_id].sort());
    expect(await list({ source_volume_id: second })).toEqual([snapshot.snapshot_id]);
    expect(await list({ snapshot_id: first })).toEqual([first]);
    expect(await list({ snapshot_id: first, source_volume_id: second })).toEqual([]);
    expect(await list({ snapshot_id: 'none' })).toEqual([]);
    expect(await list({ source_volume_id: 'none' })).toEqual([]);
    harness.restart('other');
    expect(await list({})).toEqual([]);
    expect(await list({ snapshot_id: first })).toEqual([]);
  });
});
