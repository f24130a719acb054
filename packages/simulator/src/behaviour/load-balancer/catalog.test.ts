import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultOf, LBAAS, make, makeSubnet } from '../../load-balancer/test-tree.ts';
import { type CreatedObject, startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { makeNetwork } from '../../test-resources.ts';

let test: TestCloud;
beforeEach(async () => {
  test = await startTestCloud();
});
afterEach(() => test.cloud.close());

async function makeFlavor(fields: object = {}): Promise<CreatedObject> {
  const profile = await test.admin.make(`${LBAAS}/flavorprofiles`, {
    flavorprofile: { name: 'p', provider_name: 'amphora', flavor_data: '{"loadbalancer_topology":"SINGLE"}' },
  });
  return test.admin.make(`${LBAAS}/flavors`, {
    flavor: { name: 'tiny', flavor_profile_id: profile.id, ...fields },
  });
}

async function makeZone(name: string, data: object, fields: object = {}): Promise<CreatedObject> {
  const profile = await test.admin.make(`${LBAAS}/availabilityzoneprofiles`, {
    availability_zone_profile: { name, provider_name: 'amphora', availability_zone_data: JSON.stringify(data) },
  });
  return test.admin.make(`${LBAAS}/availabilityzones`, {
    availability_zone: { name, availability_zone_profile_id: profile.id, ...fields },
  });
}

describe('a flavor', () => {
  it('exists in the sizes small, medium, large and xl from the start', async () => {
    const subnet = await makeSubnet(test.demo);
    const { body } = await test.demo.call('GET', `${LBAAS}/flavors`);
    const flavors = body['flavors'] as unknown as readonly CreatedObject[];
    const small = flavors.find(({ name }) => name === 'small');
    const created = await make(test, 'loadbalancers', {
      loadbalancer: { vip_subnet_id: subnet.id, flavor_id: small?.id },
    });

    expect(flavors.map(({ name }) => name).sort()).toEqual(['large', 'medium', 'small', 'xl']);
    expect(created).toMatchObject({ flavor_id: small?.id, provider: 'amphora' });
  });

  it('is visible to everyone, created by administrators, and selects the provider', async () => {
    const flavor = await makeFlavor();
    const subnet = await makeSubnet(test.demo);
    const created = await make(test, 'loadbalancers', {
      loadbalancer: { vip_subnet_id: subnet.id, flavor_id: flavor.id },
    });
    const listed = await test.demo.call('GET', `${LBAAS}/flavors?name=tiny`);
    const own = await test.demo.call('PUT', `${LBAAS}/flavors/${flavor.id}`, { flavor: { enabled: false } });
    const used = await test.admin.call('DELETE', `${LBAAS}/flavors/${flavor.id}`);

    expect(listed.body).toMatchObject({ flavors: [{ id: flavor.id, enabled: true }], flavors_links: [] });
    expect(created).toMatchObject({ flavor_id: flavor.id, provider: 'amphora' });
    expect(own.status).toBe(403);
    expect([used.status, faultOf(used)]).toEqual([409, `Flavor ${flavor.id} is in use and cannot be modified.`]);
  });

  it.each<[string, object, (flavor: CreatedObject) => object, string]>([
    [
      'that is disabled',
      { enabled: false },
      ({ id }) => ({ flavor_id: id }),
      'The selected flavor is not allowed in this deployment: ID',
    ],
    [
      'of another provider',
      {},
      ({ id }) => ({ flavor_id: id, provider: 'ovn' }),
      "Flavor 'ID' is not compatible with provider 'ovn'",
    ],
  ])('%s is refused', async (_what, fields, choiceOf, message) => {
    const flavor = await makeFlavor(fields);
    const subnet = await makeSubnet(test.demo);
    const refused = await test.demo.call('POST', `${LBAAS}/loadbalancers`, {
      loadbalancer: { vip_subnet_id: subnet.id, ...choiceOf(flavor) },
    });

    expect([refused.status, faultOf(refused)]).toEqual([400, message.replace('ID', flavor.id)]);
  });

  it.each([
    ['amphora', '{nope', 400, '{nope is not a valid option for flavor_data'],
    [
      'amphora',
      '{"nope":1}',
      501,
      "Provider 'amphora' does not support a requested option: Additional properties are not allowed ('nope' was unexpected)",
    ],
    [
      'ovn',
      '{}',
      501,
      "Provider 'ovn' does not support a requested action: This provider does not support validating flavors.",
    ],
  ])('has a profile that provider %s must support: refuses %s', async (provider_name, flavor_data, status, message) => {
    const refused = await test.admin.call('POST', `${LBAAS}/flavorprofiles`, {
      flavorprofile: { name: 'p', provider_name, flavor_data },
    });

    expect([refused.status, faultOf(refused)]).toEqual([status, message]);
  });

  it('protects its profile from changes', async () => {
    const flavor = await makeFlavor();
    const path = `${LBAAS}/flavorprofiles/${String(flavor['flavor_profile_id'])}`;
    const renamed = await test.admin.call('PUT', path, { flavorprofile: { name: 'other' } });
    const changed = await test.admin.call('PUT', path, { flavorprofile: { flavor_data: '{}' } });
    const hidden = await test.demo.call('GET', path);

    expect([renamed.status, changed.status, hidden.status]).toEqual([200, 409, 403]);
  });
});

describe('an availability zone', () => {
  it('is identified by its name', async () => {
    await makeZone('az1', { compute_zone: 'nova-a' });
    const subnet = await makeSubnet(test.demo);
    const created = await make(test, 'loadbalancers', {
      loadbalancer: { vip_subnet_id: subnet.id, availability_zone: 'az1' },
    });
    const response = await test.demo.call('GET', `${LBAAS}/availabilityzones/az1`);
    const used = await test.admin.call('DELETE', `${LBAAS}/availabilityzones/az1`);

    expect(created).toMatchObject({ availability_zone: 'az1' });
    expect(response.body['availability_zone']).toMatchObject({ name: 'az1', enabled: true });
    expect(faultOf(used)).toBe('Availability Zone az1 is in use and cannot be modified.');
  });

  it('may limit the networks of VIPs', async () => {
    const [{ network, subnet }, { subnet: other }] = [await makeNetwork(test.demo), await makeNetwork(test.demo)];
    await makeZone('az1', { valid_vip_networks: [network.id] });
    const create = (vip_subnet_id: string) =>
      test.demo.call('POST', `${LBAAS}/loadbalancers`, { loadbalancer: { vip_subnet_id, availability_zone: 'az1' } });
    const [allowed, refused] = [await create(subnet.id), await create(other.id)];

    expect([allowed.status, refused.status]).toEqual([201, 400]);
    expect(faultOf(refused)).toBe(
      'Validation failure: Supplied VIP network_id is not allowed by the configuration of this deployment.',
    );
  });

  it('is refused if it is disabled', async () => {
    await makeZone('az1', {}, { enabled: false });
    const subnet = await makeSubnet(test.demo);
    const refused = await test.demo.call('POST', `${LBAAS}/loadbalancers`, {
      loadbalancer: { vip_subnet_id: subnet.id, availability_zone: 'az1' },
    });

    expect(faultOf(refused)).toBe('The selected availability_zone is not allowed in this deployment: az1');
  });
});
