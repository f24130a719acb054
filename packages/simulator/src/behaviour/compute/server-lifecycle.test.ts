import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_LATENCY } from '../../http/latency.ts';
import { listed, startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { flavorId, imageId, LATEST, makeNetwork, makeServer, showServer } from '../../test-resources.ts';

const SECOND_MS = 1000;

let test: TestCloud;
beforeEach(async () => {
  test = await startTestCloud({
    latency: {
      operations: {},
      lifecycle: {
        ...NO_LATENCY.lifecycle,
        schedule: SECOND_MS,
        network: SECOND_MS,
        spawn: 10 * SECOND_MS,
        delete: SECOND_MS,
        stop: SECOND_MS,
        start: SECOND_MS,
        reboot: SECOND_MS,
        rebuild: SECOND_MS,
        resize: SECOND_MS,
      },
    },
  });
});
afterEach(() => test.cloud.close());

async function activeServer(overrides: object = {}): Promise<string> {
  const { id } = await makeServer(test.demo, overrides);
  await test.clock.advance(12 * SECOND_MS);
  return id;
}

const act = (id: string, action: object) =>
  test.demo.call('POST', `/compute/v2.1/servers/${id}/action`, action, LATEST);

async function stateOf(id: string): Promise<string> {
  const server = await showServer(test.demo, id);
  return [server['status'], server['OS-EXT-STS:vm_state'], server['OS-EXT-STS:task_state'] ?? '-'].join(' ');
}

describe('a server', () => {
  it('is scheduled, gets its ports, and boots', async () => {
    const { network } = await makeNetwork(test.demo);
    const { id } = await makeServer(test.demo, { networks: [{ uuid: network.id }] });
    const seen: unknown[] = [];
    for (const seconds of [0, 1, 1, 10]) {
      await test.clock.advance(seconds * SECOND_MS);
      const { addresses } = await showServer(test.demo, id);
      seen.push([await stateOf(id), Object.keys(addresses as object)]);
    }
    const ports = await test.demo.call('GET', `/network/v2.0/ports?device_id=${id}`);

    expect(seen).toEqual([
      ['BUILD building scheduling', []],
      ['BUILD building networking', []],
      ['BUILD building spawning', ['net']],
      ['ACTIVE active -', ['net']],
    ]);
    expect(ports.body['ports']).toMatchObject([{ status: 'ACTIVE', device_owner: 'compute:nova-a' }]);
  });

  it('is removed some time after the delete request, with the ports that Nova created but no other ports', async () => {
    const { network } = await makeNetwork(test.demo);
    const own = await test.demo.make('/network/v2.0/ports', { port: { network_id: network.id } });
    const id = await activeServer({ networks: [{ uuid: network.id }, { port: own.id }] });
    const path = `/compute/v2.1/servers/${id}`;

    const deleted = await test.demo.call('DELETE', path);
    const deleting = await stateOf(id);
    const again = await test.demo.call('DELETE', path);
    await test.clock.advance(SECOND_MS);
    const gone = await test.demo.call('GET', path);
    const ports = await test.demo.call('GET', '/network/v2.0/ports');

    expect([deleted.status, again.status, gone.status]).toEqual([204, 204, 404]);
    expect(deleting).toBe('ACTIVE active deleting');
    expect(gone.body).toEqual({ itemNotFound: { code: 404, message: `Instance ${id} could not be found.` } });
    expect(ports.body['ports']).toMatchObject([{ id: own.id, device_id: '', device_owner: '', status: 'DOWN' }]);
  });

  it('can be deleted while it is being built', async () => {
    const { id } = await makeServer(test.demo);
    await test.clock.advance(SECOND_MS / 2);
    await test.demo.call('DELETE', `/compute/v2.1/servers/${id}`);
    await test.clock.advance(60 * SECOND_MS);

    expect((await test.demo.call('GET', `/compute/v2.1/servers/${id}`)).status).toBe(404);
  });

  it('goes to ERROR if the network has no address left when it is built', async () => {
    const { network } = await makeNetwork(test.demo, { cidr: '10.0.0.0/30' });
    const { id } = await makeServer(test.demo, { networks: [{ uuid: network.id }] });
    await test.demo.make('/network/v2.0/ports', { port: { network_id: network.id } });
    await test.clock.advance(60 * SECOND_MS);

    expect(await showServer(test.demo, id)).toMatchObject({
      status: 'ERROR',
      fault: {
        code: 500,
        message: `Build of instance ${id} aborted: Failed to allocate the network(s) with error No fixed IP addresses available for network: ${network.id}, not rescheduling.`,
      },
    });
    expect(listed(await test.demo.call('GET', '/network/v2.0/ports'), 'ports')).toHaveLength(1);
  });

  it.each<[string, object, string, string]>([
    ['stops', { 'os-stop': null }, 'ACTIVE active powering-off', 'SHUTOFF stopped -'],
    ['reboots softly', { reboot: { type: 'SOFT' } }, 'REBOOT active rebooting', 'ACTIVE active -'],
    ['reboots hard', { reboot: { type: 'HARD' } }, 'HARD_REBOOT active rebooting_hard', 'ACTIVE active -'],
    ['is rebuilt', { rebuild: { imageRef: imageId('Debian 12') } }, 'REBUILD active rebuilding', 'ACTIVE active -'],
    [
      'is resized',
      { resize: { flavorRef: flavorId('b3-16') } },
      'RESIZE active resize_prep',
      'VERIFY_RESIZE resized -',
    ],
    ['is paused', { pause: null }, 'PAUSED paused -', 'PAUSED paused -'],
  ])('%s', async (_name, action, during, after) => {
    const id = await activeServer();
    const response = await act(id, action);
    const states = [await stateOf(id)];
    await test.clock.advance(SECOND_MS);
    states.push(await stateOf(id));

    expect(response.status).toBe(202);
    expect(states).toEqual([during, after]);
  });

  it('starts again after a stop', async () => {
    const id = await activeServer();
    await act(id, { 'os-stop': null });
    await test.clock.advance(SECOND_MS);
    const repeated = await act(id, { 'os-stop': null });
    await act(id, { 'os-start': null });
    await test.clock.advance(SECOND_MS);

    expect(repeated.status).toBe(409);
    expect(repeated.body['conflictingRequest']?.['message']).toBe(
      `Cannot 'stop' instance ${id} while it is in vm_state stopped`,
    );
    expect(await stateOf(id)).toBe('ACTIVE active -');
  });

  it.each([
    ['confirmResize', 'b3-16'],
    ['revertResize', 'b3-8'],
  ])('has the expected flavor after %s', async (action, flavor) => {
    const id = await activeServer();
    const early = await act(id, { [action]: null });
    await act(id, { resize: { flavorRef: flavorId('b3-16') } });
    await test.clock.advance(SECOND_MS);
    await act(id, { [action]: null });
    await test.clock.advance(SECOND_MS);

    expect(early.body['badRequest']?.['message']).toBe('Instance has not been resized.');
    expect(await showServer(test.demo, id)).toMatchObject({ status: 'ACTIVE', flavor: { original_name: flavor } });
  });

  it('can be changed only by administrators while it is locked', async () => {
    const id = await activeServer();
    await act(id, { lock: { locked_reason: 'mine' } });
    const path = `/compute/v2.1/servers/${id}`;

    expect(await showServer(test.demo, id)).toMatchObject({ locked: true, locked_reason: 'mine' });
    expect((await test.demo.call('DELETE', path)).status).toBe(409);
    await act(id, { unlock: null });
    expect((await test.demo.call('DELETE', path)).status).toBe(204);
  });

  it('has a console log of its boot', async () => {
    const id = await activeServer({ name: 'talker' });
    const { body } = await act(id, { 'os-getConsoleOutput': { length: 1 } });

    expect(body).toEqual({ output: 'talker login: ' });
  });

  it('adds its guest’s output to its console log', async () => {
    const id = await activeServer({ name: 'talker' });
    test.cloud.writeConsole(id, 'cloud-init: failed\nkubelet: no route\n');
    const { body } = await act(id, { 'os-getConsoleOutput': { length: 3 } });

    expect(body).toEqual({ output: 'talker login: \ncloud-init: failed\nkubelet: no route' });
  });

  it('loses its guest on a crash dump, stays ACTIVE, and gets the guest back after a reboot', async () => {
    const id = await activeServer();
    const gone: string[] = [];
    test.cloud.onServerDown((_server, reason) => gone.push(reason));

    const response = await act(id, { trigger_crash_dump: null });

    expect([response.status, await stateOf(id), test.cloud.hasPanicked(id)]).toEqual([202, 'ACTIVE active -', true]);
    expect(gone).toEqual(['panicked']);
    await act(id, { reboot: { type: 'HARD' } });
    expect(test.cloud.hasPanicked(id)).toBe(true);
    await test.clock.advance(SECOND_MS);
    expect(test.cloud.hasPanicked(id)).toBe(false);
  });

  it.each<[string, object, number, string]>([
    ['is off', { 'os-stop': null }, SECOND_MS, 'vm_state stopped'],
    ['is being rebooted', { reboot: { type: 'SOFT' } }, 0, 'task_state rebooting'],
  ])('refuses a crash dump when it %s', async (_name, before, laterMs, state) => {
    const id = await activeServer();
    await act(id, before);
    await test.clock.advance(laterMs);

    const response = await act(id, { trigger_crash_dump: null });

    const message = `Cannot 'trigger_crash_dump' instance ${id} while it is in ${state}`;
    expect(response.body).toEqual({ conflictingRequest: { code: 409, message } });
    expect(test.cloud.hasPanicked(id)).toBe(false);
  });

  it.each([
    ['2.16', null, 404],
    ['2.17', null, 202],
    ['2.17', {}, 400],
  ])(
    'supports crash dumps since 2.17: responds to version %s and argument %j with %i',
    async (version, argument, status) => {
      const id = await activeServer();
      const path = `/compute/v2.1/servers/${id}/action`;
      const headers = { 'OpenStack-API-Version': `compute ${version}` };

      expect((await test.demo.call('POST', path, { trigger_crash_dump: argument }, headers)).status).toBe(status);
      expect(test.cloud.hasPanicked(id)).toBe(status === 202);
    },
  );

  it('rejects an unknown action', async () => {
    expect((await act(await activeServer(), { fly: null })).status).toBe(400);
  });
});

describe('a resize', () => {
  it.each<[Readonly<Record<string, number>>, string, string]>([
    [{ cores: 3 }, 'b3-16', 'Quota exceeded for cores: Requested 2, but already used 2 of 3 cores'],
    [{ ram: 8192 }, 'r3-16', 'Quota exceeded for ram: Requested 8192, but already used 8192 of 8192 ram'],
  ])('may not exceed %j', async (limits, flavor, message) => {
    const id = await activeServer();
    test.cloud.setQuota('demo', limits);

    const response = await act(id, { resize: { flavorRef: flavorId(flavor) } });

    expect(response.body).toEqual({ forbidden: { code: 403, message } });
  });

  it('to a smaller flavor is always allowed by the quota', async () => {
    const id = await activeServer({ flavorRef: flavorId('b3-16') });
    test.cloud.setQuota('demo', { cores: 1, ram: 1, instances: 0 });

    expect((await act(id, { resize: { flavorRef: flavorId('b3-8') } })).status).toBe(202);
  });
});

describe('hypervisor notifications', () => {
  it('report whenever a guest starts or stops', async () => {
    const events: string[] = [];
    test.cloud.onServerActive((server) => events.push(`active ${server.name}`));
    test.cloud.onServerDown((server, reason) => events.push(`gone ${server.name} ${reason}`));
    const id = await activeServer({ name: 'a' });
    const resize = { resize: { flavorRef: flavorId('b3-16') } };
    for (const action of [{ reboot: { type: 'HARD' } }, { 'os-stop': null }, { 'os-start': null }, resize]) {
      await act(id, action);
      await test.clock.advance(SECOND_MS);
    }
    await test.demo.call('DELETE', `/compute/v2.1/servers/${id}`);
    await test.clock.advance(SECOND_MS);

    expect(events).toEqual([
      'active a',
      'gone a rebooting',
      'active a',
      'gone a stopped',
      'active a',
      'gone a rebooting',
      'active a',
      'gone a deleted',
    ]);
  });

  it('continue after a listener throws', async () => {
    const seen: string[] = [];
    test.cloud.onServerActive(() => {
      throw new Error('no');
    });
    test.cloud.onServerActive((server) => seen.push(server.name));
    const id = await activeServer({ name: 'a' });

    expect(seen).toEqual(['a']);
    expect(await stateOf(id)).toBe('ACTIVE active -');
  });

  it('start with the running servers, and stop when the listener unsubscribes', async () => {
    await activeServer({ name: 'before' });
    const seen: string[] = [];
    const stop = test.cloud.onServerActive((server) => seen.push(server.name));
    await activeServer({ name: 'during' });
    stop();
    await activeServer({ name: 'after' });

    expect(seen).toEqual(['before', 'during']);
  });
});

describe('a simulated cloud', () => {
  it('is restored from a snapshot and continues server builds', async () => {
    const { id } = await makeServer(test.demo);
    const snapshot = test.cloud.snapshot();
    await test.demo.call('DELETE', `/compute/v2.1/servers/${id}`);
    await test.clock.advance(SECOND_MS);
    const gone = await test.demo.call('GET', `/compute/v2.1/servers/${id}`);
    test.cloud.restore(snapshot);
    const finalState = await stateOf(id);
    await test.clock.advance(12 * SECOND_MS);

    expect(gone.status).toBe(404);
    expect(finalState).toBe('BUILD building scheduling');
    expect(await stateOf(id)).toBe('ACTIVE active -');
  });

  it('leaves no timer on the clock once closed', async () => {
    const other = await startTestCloud({
      latency: { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, spawn: SECOND_MS } },
    });
    await makeServer(other.demo);
    await other.cloud.close();

    expect(other.clock.pendingTimers).toBe(0);
  });
});
