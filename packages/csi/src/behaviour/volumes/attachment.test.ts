import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccessMode } from '../../protocol/messages.ts';
import { CsiTestHarness, capability, publishRequest } from '../../testing/csi-test-harness.ts';

let harness: CsiTestHarness;
let volume: string;
let server: string;
beforeEach(async () => {
  harness = await CsiTestHarness.start();
  volume = await harness.createVolume('pvc-1');
  server = await harness.createServer();
});
afterEach(() => harness[Symbol.asyncDispose]());

const publish = (id = volume, node = server, overrides: object = {}) =>
  harness.refusal('ControllerPublishVolume', { ...publishRequest(id, node), ...overrides });
const unpublish = (id = volume, node = server) =>
  harness.refusal('ControllerUnpublishVolume', { volume_id: id, node_id: node, secrets: {} });
const holders = async (id = volume) =>
  (await harness.volumes()).find((each) => each.id === id)?.attachments.map(({ server_id }) => server_id);

describe('ControllerPublishVolume', () => {
  test('returns the device once the volume is attached, including on a repeated call', async () => {
    const response = await harness.call('ControllerPublishVolume', publishRequest(volume, server));

    expect(response).toEqual({ publish_context: { DevicePath: '/dev/vdb' } });
    expect(await holders()).toEqual([server]);
    expect(await harness.call('ControllerPublishVolume', publishRequest(volume, server))).toEqual(response);
  });

  test('continues on the next call after its deadline', async () => {
    expect(await harness.refusal('ControllerPublishVolume', publishRequest(volume, server), 1_000)).toMatch(
      /^DEADLINE_EXCEEDED: volume .* is being attached/,
    );
    expect(await publish()).toBe('OK');
  });

  test('must be retried while another call is changing the volume', async () => {
    const first = harness.begin('ControllerPublishVolume', publishRequest(volume, server));

    expect(await unpublish()).toMatch(/^ABORTED: another .* is in progress for the same volume/);
    await harness.clock.during(first);
  });

  test('reports the server to which the volume is attached', async () => {
    await publish();
    const second = await harness.createServer();

    expect(await publish(volume, second)).toBe(`FAILED_PRECONDITION: it is still attached to server ${server}`);
  });

  test('attaches a block device with a multiattach type to several servers', async () => {
    const shared = capability(AccessMode.multiNodeMultiWriter, true);
    const parameters = { type: 'classic-multiattach' };
    const id = await harness.createVolume('shared', { parameters, volume_capabilities: [shared] });
    const second = await harness.createServer();

    expect(await publish(id, server, { volume_capability: shared })).toBe('OK');
    expect(await publish(id, second, { volume_capability: shared })).toBe('OK');
    expect(new Set(await holders(id))).toEqual(new Set([server, second]));
    expect(await unpublish(id, server)).toBe('OK');
    expect(await holders(id)).toEqual([second]);
  });

  test("attaches an unmarked volume, but not another cluster's volume", async () => {
    const { id: unmarkedId } = await harness.clock.during(harness.client.blockStorage.volumes.create({ size: 1 }));
    await harness.clock.pass(5_000);
    harness.restart('other');

    expect(await publish(unmarkedId)).toBe('OK');
    expect(await publish()).toMatch(/^PERMISSION_DENIED: volume .* belongs to another cluster/);
    expect(await holders()).toEqual([]);
  });

  test("does not attach volumes to another cluster's nodes", async () => {
    const foreignServer = await harness.createServer(['fairway', 'fairway-cluster-theirs', 'fairway-machine-m']);

    expect(await publish(volume, foreignServer)).toBe(
      `PERMISSION_DENIED: server ${foreignServer} is a node of another cluster`,
    );
    expect(await holders()).toEqual([]);
  });

  test('reports that the server already has its maximum number of disks', async () => {
    await using full = await CsiTestHarness.start({ maxDisksPerServer: 1 });
    const node = await full.createServer();
    const id = await full.createVolume('pvc-1');

    const refusal = await full.refusal('ControllerPublishVolume', publishRequest(id, node));

    expect(refusal).toMatch(/^RESOURCE_EXHAUSTED: .*maximum allowed number of disk devices/);
  });

  test.each([
    { id: '', node: 'n', reported: /^INVALID_ARGUMENT: volume_id is missing/ },
    { node: '', reported: /^INVALID_ARGUMENT: node_id is missing/ },
    {
      more: { volume_capability: null },
      reported: /^INVALID_ARGUMENT: volume_capability: volume_capability is missing/,
    },
    { more: { readonly: true }, reported: /^INVALID_ARGUMENT: readonly is set/ },
    { id: crypto.randomUUID(), reported: /^NOT_FOUND: volume .* does not exist/ },
    { node: crypto.randomUUID(), reported: /^NOT_FOUND: node_id .* is not the ID of a server/ },
    { node: 'worker-1', reported: /^NOT_FOUND: node_id worker-1 is not the ID of a server/ },
    {
      more: { volume_capability: capability(AccessMode.multiNodeReaderOnly) },
      reported: /^FAILED_PRECONDITION: volume_capability: volume .* limited to one node at a time/,
    },
  ])('refuses volume $id, node $node, $more', async ({ id, node, more, reported }) => {
    expect(await publish(id, node, more)).toMatch(reported);
  });
});

describe('ControllerUnpublishVolume', () => {
  test('returns once the volume is detached, including on a repeated call', async () => {
    await publish();

    expect(await unpublish()).toBe('OK');
    expect(await holders()).toEqual([]);
    expect(await unpublish()).toBe('OK');
  });

  test('detaches the volume from all servers if no node is specified', async () => {
    await publish();

    expect(await unpublish(volume, '')).toBe('OK');
    expect(await holders()).toEqual([]);
  });

  test('leaves the volume attached to other servers', async () => {
    await publish();

    expect(await unpublish(volume, crypto.randomUUID())).toBe('OK');
    expect(await holders()).toEqual([server]);
  });

  test('succeeds if the volume or the server no longer exists', async () => {
    await publish();
    await harness.clock.during(harness.client.compute.servers.delete(server));
    await harness.clock.pass(5_000);

    expect(await unpublish()).toBe('OK');
    expect(await unpublish(crypto.randomUUID())).toBe('OK');
  });
});
