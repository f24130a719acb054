import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CsiPlace, publishRequest } from '../../testing/csi-place.ts';

interface Answer {
  readonly entries: readonly { volume: { volume_id: string }; status: object }[];
  readonly next_token: string;
}

let place: CsiPlace;
const own: string[] = [];
beforeAll(async () => {
  place = await CsiPlace.start({}, 'other');
  await place.createVolume('theirs-1');
  place.restart('own');
  await place.clock.pass(11_000);
  for (const name of ['a', 'b', 'c']) own.unshift(await place.createVolume(name));
  place.restart('other');
  await place.clock.pass(11_000);
  await place.createVolume('theirs-2');
  place.restart('own');
});
afterAll(() => place[Symbol.asyncDispose]());

const list = (max: number, token = '') =>
  place.call<Answer>('ListVolumes', { max_entries: max, starting_token: token });
const ids = ({ entries }: Answer) => entries.map(({ volume }) => volume.volume_id);

describe('a list', () => {
  test("has the cluster's own, newest first, and none of another cluster's", async () => {
    const all = await list(0);

    expect(ids(all)).toEqual(own);
    expect(all.next_token).toBe('');
  });

  test('comes in full pages that continue where the previous one ended', async () => {
    const first = await list(2);
    const second = await list(2, first.next_token);

    expect([ids(first), ids(second)]).toEqual([own.slice(0, 2), own.slice(2)]);
    expect(second.next_token).toBe('');
    expect(ids(await list(0, first.next_token))).toEqual(own.slice(2));
  });

  test('has a last page that is full and the last', async () => {
    expect(await list(3)).toMatchObject({ next_token: '' });
  });

  test.each(['invalid-token', crypto.randomUUID()])('does not begin after %s', async (starting_token) => {
    expect(await place.refusal('ListVolumes', { max_entries: 0, starting_token })).toMatch(/^ABORTED: starting_token/);
  });

  test('has no negative length', async () => {
    expect(await place.refusal('ListVolumes', { max_entries: -1, starting_token: '' })).toMatch(/^INVALID_ARGUMENT/);
  });

  test('says which servers have a volume, and so does ControllerGetVolume', async () => {
    const server = await place.createServer();
    await place.call('ControllerPublishVolume', publishRequest(own[0] ?? '', server));

    const published = { published_node_ids: [server] };
    expect((await list(0)).entries[0]).toMatchObject({ status: published });
    expect(await place.call('ControllerGetVolume', { volume_id: own[0] })).toMatchObject({
      volume: { volume_id: own[0] },
      status: published,
    });
    expect(await place.refusal('ControllerGetVolume', { volume_id: crypto.randomUUID() })).toMatch(/^NOT_FOUND/);
  });
});
