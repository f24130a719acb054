import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CsiTestHarness, publishRequest } from '../../testing/csi-test-harness.ts';

interface ListResponse {
  readonly entries: readonly { volume: { volume_id: string }; status: object }[];
  readonly next_token: string;
}

let harness: CsiTestHarness;
const own: string[] = [];
beforeAll(async () => {
  harness = await CsiTestHarness.start({}, 'other');
  await harness.createVolume('theirs-1');
  harness.restart('own');
  await harness.clock.pass(11_000);
  for (const name of ['a', 'b', 'c']) own.unshift(await harness.createVolume(name));
  harness.restart('other');
  await harness.clock.pass(11_000);
  await harness.createVolume('theirs-2');
  harness.restart('own');
});
afterAll(() => harness[Symbol.asyncDispose]());

const list = (max: number, token = '') =>
  harness.call<ListResponse>('ListVolumes', { max_entries: max, starting_token: token });
const ids = ({ entries }: ListResponse) => entries.map(({ volume }) => volume.volume_id);

describe('a list of volumes', () => {
  test("contains the cluster's own volumes, newest first, but none of another cluster's volumes", async () => {
    const all = await list(0);

    expect(ids(all)).toEqual(own);
    expect(all.next_token).toBe('');
  });

  test('is returned in full pages that continue where the previous one ended', async () => {
    const first = await list(2);
    const second = await list(2, first.next_token);

    expect([ids(first), ids(second)]).toEqual([own.slice(0, 2), own.slice(2)]);
    expect(second.next_token).toBe('');
    expect(ids(await list(0, first.next_token))).toEqual(own.slice(2));
  });

  test('has no next page if the last page is full', async () => {
    expect(await list(3)).toMatchObject({ next_token: '' });
  });

  test.each(['invalid-token', crypto.randomUUID()])('rejects the starting token %s', async (starting_token) => {
    expect(await harness.refusal('ListVolumes', { max_entries: 0, starting_token })).toMatch(
      /^ABORTED: starting_token/,
    );
  });

  test('rejects a negative length', async () => {
    expect(await harness.refusal('ListVolumes', { max_entries: -1, starting_token: '' })).toMatch(/^INVALID_ARGUMENT/);
  });

  test('reports which servers have a volume attached, as ControllerGetVolume does', async () => {
    const server = await harness.createServer();
    await harness.call('ControllerPublishVolume', publishRequest(own[0] ?? '', server));

    const published = { published_node_ids: [server] };
    expect((await list(0)).entries[0]).toMatchObject({ status: published });
    expect(await harness.call('ControllerGetVolume', { volume_id: own[0] })).toMatchObject({
      volume: { volume_id: own[0] },
      status: published,
    });
    expect(await harness.refusal('ControllerGetVolume', { volume_id: crypto.randomUUID() })).toMatch(/^NOT_FOUND/);
  });
});
