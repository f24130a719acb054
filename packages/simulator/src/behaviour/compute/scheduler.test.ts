import { afterEach, expect, it } from 'vitest';
import { type CreatedObject, startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { LATEST, makeServer, showServer } from '../../test-resources.ts';

const zone = (name: string, hosts: number) => ({ name, hosts, hostVcpus: 8, hostRamMiB: 16 * 1024, hostDiskGiB: 1000 });

let test: TestCloud;
afterEach(() => test.cloud.close());

async function start(...zones: readonly ReturnType<typeof zone>[]): Promise<void> {
  test = await startTestCloud({ zones });
}

async function makeGroup(policy: string, rules?: object): Promise<CreatedObject> {
  const body = { server_group: { name: 'g', policy, ...(rules === undefined ? {} : { rules }) } };
  const response = await test.demo.call('POST', '/compute/v2.1/os-server-groups', body, LATEST);
  return response.body['server_group'] as unknown as CreatedObject;
}

/** Hosts of servers created one after another; `none` if no host was found. */
async function place(count: number, group?: CreatedObject, overrides: object = {}): Promise<string[]> {
  const hosts: string[] = [];
  for (let i = 0; i < count; i++) {
    const hints = group === undefined ? {} : { 'os:scheduler_hints': { group: group.id } };
    const { id } = await makeServer(test.demo, overrides, hints);
    await test.clock.advance(1);
    const { 'OS-EXT-SRV-ATTR:host': host } = await showServer(test.admin, id);
    hosts.push((typeof host === 'string' ? host : 'none').replaceAll(/^nova-|-host/g, ''));
  }
  return hosts;
}

it.each<[string, string, object | undefined, readonly string[]]>([
  ['anti-affinity never shares a host', 'anti-affinity', undefined, ['a-1', 'a-2', 'none']],
  [
    'anti-affinity shares hosts as far as its rules allow',
    'anti-affinity',
    { max_server_per_host: 2 },
    ['a-1', 'a-2', 'a-1'],
  ],
  ['affinity stays on one host', 'affinity', undefined, ['a-1', 'a-1', 'none']],
  ['soft anti-affinity shares a host if necessary', 'soft-anti-affinity', undefined, ['a-1', 'a-2', 'a-1']],
  ['soft affinity uses another host if necessary', 'soft-affinity', undefined, ['a-1', 'a-1', 'a-2']],
])('%s', async (_name, policy, rules, expected) => {
  await start(zone('nova-a', 2));

  expect(await place(3, await makeGroup(policy, rules))).toEqual(expected);
});

it('fills hosts evenly by memory, up to their capacity', async () => {
  await start(zone('nova-a', 2));

  expect(await place(5)).toEqual(['a-1', 'a-2', 'a-1', 'a-2', 'none']);
});

it('respects the requested zone', async () => {
  await start(zone('nova-a', 2), zone('nova-b', 1));

  expect(await place(3, undefined, { availability_zone: 'nova-b' })).toEqual(['b-1', 'b-1', 'none']);
});

it('frees capacity on deletion', async () => {
  await start(zone('nova-a', 1));
  await place(2);
  const { body } = await test.demo.call('GET', '/compute/v2.1/servers');
  const id = (body['servers'] as unknown as readonly CreatedObject[])[0]?.id ?? '';
  const full = await place(1);
  await test.demo.call('DELETE', `/compute/v2.1/servers/${id}`);
  await test.clock.advance(1);

  expect(full).toEqual(['none']);
  expect(await place(1)).toEqual(['a-1']);
});

it('reports that no valid host was found', async () => {
  await start(zone('nova-a', 0));
  const { id } = await makeServer(test.demo);
  await test.clock.advance(1);

  expect(await showServer(test.demo, id)).toMatchObject({
    status: 'ERROR',
    hostId: '',
    fault: {
      code: 500,
      message: 'No valid host was found. There are not enough hosts available.',
      created: '2026-01-01T00:00:00Z',
    },
  });
  expect((await showServer(test.demo, id))['fault']).not.toHaveProperty('details');
  expect((await showServer(test.admin, id))['fault']).toHaveProperty('details');
});
