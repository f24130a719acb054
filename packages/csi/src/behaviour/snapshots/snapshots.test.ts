import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CsiSnapshot } from '../../protocol/messages.ts';
import { CsiPlace, GIB, snapshotRequest } from '../../testing/csi-place.ts';

let place: CsiPlace;
let volume: string;
beforeEach(async () => {
  place = await CsiPlace.start();
  volume = await place.createVolume('pvc-1');
});
afterEach(() => place[Symbol.asyncDispose]());

const make = async (name: string) => {
  const { snapshot } = await place.call<{ snapshot: CsiSnapshot }>('CreateSnapshot', snapshotRequest(name, volume));
  return snapshot;
};
const remove = (id: string) => place.refusal('DeleteSnapshot', { snapshot_id: id, secrets: {} });
const snapshots = () => place.clock.during(Array.fromAsync(place.client.blockStorage.snapshots.list()));

describe('CreateSnapshot', () => {
  test('answers when the snapshot is usable, and again with the same one', async () => {
    const beginMs = place.clock.now();
    const snapshot = await make('s');

    expect(snapshot).toMatchObject({ source_volume_id: volume, size_bytes: GIB, ready_to_use: true });
    expect(snapshot.creation_time.seconds * 1000).toBeGreaterThanOrEqual(beginMs - 1_000);
    place.restart();
    expect(await make('s')).toEqual(snapshot);
    expect(await snapshots()).toHaveLength(1);
  });

  test('continues after its deadline', async () => {
    expect(await place.refusal('CreateSnapshot', snapshotRequest('s', volume), 1_000)).toMatch(
      /^DEADLINE_EXCEEDED: snapshot .* is being created/,
    );
    await make('s');
    expect(await snapshots()).toHaveLength(1);
  });

  test('creates no second one after a request whose answer was lost', async () => {
    const action = { kind: 'drop', when: 'after' } as const;
    place.cloud.faults.add({ service: 'block-storage', method: 'POST', path: '/snapshots$', action });
    expect(await place.refusal('CreateSnapshot', snapshotRequest('s', volume))).toMatch(/^UNAVAILABLE/);
    place.restart();

    await make('s');
    expect(await snapshots()).toHaveLength(1);
  });

  test('deletes one that Cinder fails to create', async () => {
    place.cloud.faults.add({ service: 'block-storage', action: { kind: 'volumeError', step: 'create' } });
    expect(await place.refusal('CreateSnapshot', snapshotRequest('s', volume))).toMatch(
      /^INTERNAL: Cinder failed to create snapshot/,
    );
    await place.clock.pass(10_000);

    expect(await snapshots()).toEqual([]);
  });

  test('detects a snapshot of the same name that is of another volume', async () => {
    await make('s');
    const second = await place.createVolume('pvc-2');

    expect(await place.refusal('CreateSnapshot', snapshotRequest('s', second))).toMatch(/^ALREADY_EXISTS/);
  });

  test('becomes a volume', async () => {
    const { snapshot_id: id } = await make('s');
    const copy = await place.createVolume('copy', { volume_content_source: { snapshot: { snapshot_id: id } } });

    expect((await place.volumes()).find((each) => each.id === copy)).toMatchObject({ snapshot_id: id });
  });

  test("of another cluster's volume is refused, and so is a copy of its snapshot", async () => {
    const { snapshot_id: id } = await make('s');
    place.restart('other');

    expect(await place.refusal('CreateSnapshot', snapshotRequest('t', volume))).toMatch(/^PERMISSION_DENIED/);
    await expect(
      place.createVolume('copy', { volume_content_source: { snapshot: { snapshot_id: id } } }),
    ).rejects.toThrow(/another cluster/);
  });

  test.each([
    { name: '', of: 'x', told: /^INVALID_ARGUMENT: name is missing/ },
    { name: 's', of: '', told: /^INVALID_ARGUMENT: source_volume_id is missing/ },
    { name: 's', of: 'x', told: /^NOT_FOUND: volume x does not exist/ },
  ])('refuses "$name" of "$of"', async ({ name, of, told }) => {
    expect(await place.refusal('CreateSnapshot', snapshotRequest(name, of))).toMatch(told);
  });
});

describe('DeleteSnapshot', () => {
  test('answers when it is deleted, and succeeds if there is none', async () => {
    const { snapshot_id: id } = await make('s');

    expect(await remove(id)).toBe('OK');
    expect(await snapshots()).toEqual([]);
    expect(await remove(id)).toBe('OK');
    expect(await remove('none')).toBe('OK');
    expect(await remove('')).toMatch(/^INVALID_ARGUMENT/);
  });

  test('touches neither the snapshots of another cluster nor those without marks', async () => {
    const { snapshot_id: other } = await make('s');
    const { id: plain } = await place.clock.during(place.client.blockStorage.snapshots.create({ volume_id: volume }));
    place.restart('other');

    expect(await remove(other)).toMatch(/^PERMISSION_DENIED/);
    expect(await remove(plain)).toMatch(/^PERMISSION_DENIED/);
    expect(await snapshots()).toHaveLength(2);
  });
});

describe('ListSnapshots', () => {
  const list = async (more: object) => {
    const request = { max_entries: 0, starting_token: '', source_volume_id: '', snapshot_id: '', secrets: {}, ...more };
    const { entries } = await place.call<{ entries: { snapshot: CsiSnapshot }[] }>('ListSnapshots', request);
    return entries.map(({ snapshot }) => snapshot.snapshot_id);
  };

  test('lists all, those of a volume, or one', async () => {
    const { snapshot_id: first } = await make('s');
    await place.clock.pass(1_000);
    const second = await place.createVolume('pvc-2');
    const { snapshot } = await place.call<{ snapshot: CsiSnapshot }>('CreateSnapshot', snapshotRequest('t', second));

    expect((await list({})).sort()).toEqual([first, snapshot.snapshot_id].sort());
    expect(await list({ source_volume_id: second })).toEqual([snapshot.snapshot_id]);
    expect(await list({ snapshot_id: first })).toEqual([first]);
    expect(await list({ snapshot_id: first, source_volume_id: second })).toEqual([]);
    expect(await list({ snapshot_id: 'none' })).toEqual([]);
    expect(await list({ source_volume_id: 'none' })).toEqual([]);
    place.restart('other');
    expect(await list({})).toEqual([]);
    expect(await list({ snapshot_id: first })).toEqual([]);
  });
});
