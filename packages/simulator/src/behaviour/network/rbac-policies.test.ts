import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { makeNetwork } from '../../test-resources.ts';

let test: TestCloud;
beforeEach(async () => {
  test = await startTestCloud();
});
afterEach(() => test.cloud.close());

const POLICIES = '/network/v2.0/rbac-policies';
const NETWORKS_PATH = '/network/v2.0/networks';
const PORTS_PATH = '/network/v2.0/ports';

function shareWithDemo(objectId: string): Promise<{ readonly id: string }> {
  const policy = { object_type: 'network', object_id: objectId, action: 'access_as_shared' };
  return test.other.make(POLICIES, { rbac_policy: { ...policy, target_tenant: test.demo.projectId } });
}

describe('a share of a network', () => {
  it("allows the other project's ports, and cannot be deleted while they exist", async () => {
    const { network } = await makeNetwork(test.other);
    const { id } = await shareWithDemo(network.id);

    const port = await test.demo.make(PORTS_PATH, { port: { network_id: network.id } });
    const used = await test.other.call('DELETE', `${POLICIES}/${id}`);
    await test.demo.call('DELETE', `${PORTS_PATH}/${port.id}`);
    const unused = await test.other.call('DELETE', `${POLICIES}/${id}`);

    expect([used.status, used.body['NeutronError']?.['type'], unused.status]).toEqual([409, 'RbacPolicyInUse', 204]);
    expect((await test.demo.call('GET', `${NETWORKS_PATH}/${network.id}`)).status).toBe(404);
  });

  it('is visible only to its owner', async () => {
    const { network } = await makeNetwork(test.other);
    const { id } = await shareWithDemo(network.id);

    expect((await test.demo.call('GET', POLICIES)).body['rbac_policies']).toEqual([]);
    expect((await test.demo.call('DELETE', `${POLICIES}/${id}`)).status).toBe(404);
    expect((await test.other.call('GET', POLICIES)).body['rbac_policies']).toMatchObject([{ id }]);
  });

  it('is created only once, only by the owner, and is deleted with the network', async () => {
    const { network } = await makeNetwork(test.other);
    const { id } = await shareWithDemo(network.id);
    const again = { object_type: 'network', object_id: network.id, action: 'access_as_shared' };

    const repeated = await test.other.call('POST', POLICIES, {
      rbac_policy: { ...again, target_tenant: test.demo.projectId },
    });
    const additional = await test.demo.call('POST', POLICIES, {
      rbac_policy: { ...again, target_tenant: test.admin.projectId },
    });
    await test.other.call('DELETE', `${NETWORKS_PATH}/${network.id}`);

    expect([repeated.status, repeated.body['NeutronError']?.['type']]).toEqual([409, 'DuplicateRbacPolicy']);
    expect(additional.body['NeutronError']?.['message']).toBe(
      'Invalid input for operation: Only admins can manipulate policies on networks they do not own.',
    );
    expect((await test.other.call('GET', `${POLICIES}/${id}`)).status).toBe(404);
  });
});
