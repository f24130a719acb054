import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { externalNetworkId, makeNetwork } from '../../test-resources.ts';

let test: TestCloud;
beforeEach(async () => {
  test = await startTestCloud();
});
afterEach(() => test.cloud.close());

const NETWORKS_PATH = '/network/v2.0/networks';

describe('a network', () => {
  it("has Neutron's defaults", async () => {
    const network = await test.demo.make(NETWORKS_PATH, { network: { name: 'n', description: 'd' } });

    expect(network).toMatchObject({
      name: 'n',
      description: 'd',
      status: 'ACTIVE',
      admin_state_up: true,
      shared: false,
      'router:external': false,
      mtu: 1442,
      subnets: [],
      tags: [],
      revision_number: 1,
      project_id: test.demo.projectId,
      tenant_id: test.demo.projectId,
      created_at: '2026-01-01T00:00:00Z',
    });
    expect(network).not.toHaveProperty('provider:network_type');
  });

  it.each<[string, object, number, string]>([
    ['an unknown attribute', { colour: 'red' }, 400, "Unrecognized attribute(s) 'colour'"],
    ['a name of the wrong type', { name: 5 }, 400, 'Invalid input for name. Reason: 5 is not a valid string.'],
    ['sharing', { shared: true }, 403, '(rule:create_network and rule:create_network:shared) is disallowed by policy'],
    [
      'an MTU that is too large',
      { mtu: 9000 },
      400,
      'Invalid input for operation: Requested MTU is too big, maximum is 1442.',
    ],
  ])('is rejected with %s', async (_name, fields, status, message) => {
    const response = await test.demo.call('POST', NETWORKS_PATH, { network: fields });

    expect(response.status).toBe(status);
    expect(response.body['NeutronError']?.['message']).toBe(message);
  });

  it('can be created in bulk, all or none', async () => {
    const good = await test.demo.call('POST', NETWORKS_PATH, { networks: [{ name: 'a' }, { name: 'b' }] });
    const bad = await test.demo.call('POST', NETWORKS_PATH, { networks: [{ name: 'c' }, { shared: true }] });
    const { body } = await test.demo.call('GET', `${NETWORKS_PATH}?router:external=false&fields=name`);

    expect(good.body['networks']).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    expect(bad.status).toBe(403);
    expect(body['networks']).toEqual([{ name: 'a' }, { name: 'b' }]);
  });

  it('has attributes that cannot be changed', async () => {
    const { id } = await test.demo.make(NETWORKS_PATH, { network: {} });
    const response = await test.demo.call('PUT', `${NETWORKS_PATH}/${id}`, { network: { project_id: 'x' } });

    expect(response.status).toBe(400);
    expect(response.body['NeutronError']?.['message']).toBe('Cannot update read-only attribute project_id');
  });

  it('changes only if its revision matches If-Match', async () => {
    const { id } = await test.demo.make(NETWORKS_PATH, { network: {} });
    const update = (revision: number) =>
      test.demo.call(
        'PUT',
        `${NETWORKS_PATH}/${id}`,
        { network: { name: `r${revision}` } },
        {
          'If-Match': `revision_number=${revision}`,
        },
      );

    const first = await update(1);
    const staleUpdate = await update(1);

    expect(first.body['network']).toMatchObject({ name: 'r1', revision_number: 2 });
    expect(staleUpdate.status).toBe(412);
    expect(staleUpdate.body['NeutronError']).toMatchObject({ type: 'RevisionNumberConstraintFailed' });
  });

  it('cannot be deleted while it has ports, and is deleted with its subnets', async () => {
    const { network, subnet } = await makeNetwork(test.demo);
    const port = await test.demo.make('/network/v2.0/ports', { port: { network_id: network.id } });

    const inUse = await test.demo.call('DELETE', `${NETWORKS_PATH}/${network.id}`);
    await test.demo.call('DELETE', `/network/v2.0/ports/${port.id}`);
    const afterDetach = await test.demo.call('DELETE', `${NETWORKS_PATH}/${network.id}`);

    expect(inUse.status).toBe(409);
    expect(inUse.body['NeutronError']).toEqual({
      type: 'NetworkInUse',
      message: `Unable to complete operation on network ${network.id}. There are one or more ports still in use on the network, id for these ports is: ${port.id}.`,
      detail: '',
    });
    expect(afterDetach.status).toBe(204);
    expect((await test.demo.call('GET', `/network/v2.0/subnets/${subnet.id}`)).status).toBe(404);
  });

  it('counts against the quota', async () => {
    test.cloud.setQuota('demo', { network: 1 });
    const first = await test.demo.call('POST', NETWORKS_PATH, { network: {} });
    const second = await test.demo.call('POST', NETWORKS_PATH, { network: {} });

    expect(first.status).toBe(201);
    expect(second.status).toBe(409);
    expect(second.body).toEqual({
      NeutronError: { type: 'OverQuota', message: "Quota exceeded for resources: ['network'].", detail: '' },
    });
  });
});

describe('the external network', () => {
  it('is visible to everyone and writable by administrators', async () => {
    const id = await externalNetworkId(test.demo);

    expect((await test.demo.call('PUT', `${NETWORKS_PATH}/${id}`, { network: { name: 'x' } })).status).toBe(403);
    expect((await test.admin.call('PUT', `${NETWORKS_PATH}/${id}`, { network: { name: 'x' } })).status).toBe(200);
    const adminView = await test.admin.call('GET', `${NETWORKS_PATH}/${id}`);
    expect(adminView.body['network']).toMatchObject({ 'provider:network_type': 'flat', mtu: 1500 });
  });
});
