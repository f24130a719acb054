import type { Service } from '@fairway/kube/kinds/generated/types';
import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { describe, expect, test } from 'vitest';
import { ANNOTATION } from './annotation-names.ts';
import { NetworkOwnership } from './network-ownership.ts';
import { ServiceRefused } from './service-refused.ts';
import { aService } from './testing/services.ts';

const OWN_PROJECT = 'own-project';
const network = (project_id: string, more = {}) => ({ project_id, shared: false, 'router:external': false, ...more });

/** Objects that are visible with an administrator's credentials. */
const NETWORKS: Readonly<Record<string, object>> = {
  'own-network': network(OWN_PROJECT),
  'foreign-network': network('other-project'),
  'shared-network': network('other-project', { shared: true }),
  'external-network': network('other-project', { 'router:external': true }),
};
const SUBNETS: Readonly<Record<string, object>> = {
  'own-subnet': { project_id: OWN_PROJECT, network_id: 'own-network' },
  'foreign-subnet': { project_id: 'other-project', network_id: 'foreign-network' },
  'shared-subnet': { project_id: 'other-project', network_id: 'shared-network' },
};
const PORTS: Readonly<Record<string, object>> = {
  'own-port': { project_id: OWN_PROJECT },
  'foreign-port': { project_id: 'other-project' },
};

function placesOf(service: Service) {
  let calls = 0;
  const collection = (items: Readonly<Record<string, object>>) => ({
    get: (id: string) => {
      calls += 1;
      const found = items[id];
      return found ? Promise.resolve(found) : Promise.reject(notFound());
    },
  });
  const client = {
    network: { networks: collection(NETWORKS), subnets: collection(SUBNETS), ports: collection(PORTS) },
  };
  const cloud = { client } as unknown as ProjectCloud;
  const places = new NetworkOwnership();
  const { signal } = new AbortController();
  return {
    require: (ids: { portID?: string; networkID?: string; subnetID?: string; memberSubnetID?: string }) => {
      const { memberSubnetID, portID, networkID, subnetID } = ids;
      const vip = { portID, networkID, subnetID, address: undefined };
      return places.require({ cloud, projectID: OWN_PROJECT, service, signal }, { vip, memberSubnetID });
    },
    calls: () => calls,
  };
}

function notFound(): OpenStackError {
  const call = { service: 'network', method: 'GET', template: '/ports/{port_id}' } as const;
  return new OpenStackError({ ...call, kind: 'notFound', status: 404, message: 'not found', outcome: 'notDone' });
}

describe('an administrator’s credentials', () => {
  test.each([
    { name: 'portID', id: 'foreign-port', noun: 'port' },
    { name: 'networkID', id: 'foreign-network', noun: 'network' },
    { name: 'subnetID', id: 'foreign-subnet', noun: 'subnet' },
    { name: 'memberSubnetID', id: 'foreign-subnet', noun: 'subnet' },
  ] as const)('refuses resources of another project by $name', async ({ name, id, noun }) => {
    const refused = placesOf(aService({}, { [name]: id })).require({ [name]: id });

    await expect(refused).rejects.toBeInstanceOf(ServiceRefused);
    await expect(refused).rejects.toThrow(
      `annotation ${ANNOTATION[name]}: ${noun} ${id} is not visible to this project`,
    );
  });

  test.each([
    { name: 'portID', id: 'own-port' },
    { name: 'networkID', id: 'own-network' },
    { name: 'networkID', id: 'shared-network' },
    { name: 'networkID', id: 'external-network' },
    { name: 'subnetID', id: 'own-subnet' },
    { name: 'subnetID', id: 'shared-subnet' },
    { name: 'memberSubnetID', id: 'shared-subnet' },
    // Octavia reports a missing subnet itself.
    { name: 'subnetID', id: 'none' },
  ] as const)('allows $name: $id and looks it up once', async ({ name, id }) => {
    const places = placesOf(aService({}, { [name]: id }));

    await places.require({ [name]: id });
    const calls = places.calls();
    await places.require({ [name]: id });

    expect(places.calls()).toBe(calls);
  });
});

test('does not check the operator’s settings', async () => {
  const places = placesOf(aService());

  await places.require({ subnetID: 'foreign-subnet', networkID: 'foreign-network', memberSubnetID: 'foreign-subnet' });

  expect(places.calls()).toBe(0);
});
