import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import { describe, expect, test } from 'vitest';
import { CloudOffer } from './cloud-offer.ts';
import type { ProjectCloud } from './project-cloud.ts';

const MINUTE_MS = 60_000;
const NOVA = {
  maxTotalInstances: 10,
  totalInstancesUsed: 3,
  maxTotalCores: -1,
  totalCoresUsed: 6,
  maxTotalRAMSize: 4096,
  totalRAMUsed: 1024,
  maxServerGroups: 5,
  totalServerGroupsUsed: 0,
};
const NEUTRON = { network: { limit: 9, used: 1, reserved: 2 }, floatingip: { limit: 4, used: 0, reserved: 0 } };
const CINDER = { maxTotalVolumes: 10, totalVolumesUsed: 1, maxTotalVolumeGigabytes: 1000, totalGigabytesUsed: 20 };

/** A project with empty lists, whose services respond as in `services`; entries that are Errors are thrown. */
function project(services: { nova?: object; neutron?: object; cinder?: object | undefined } = {}) {
  const { nova = NOVA, neutron = NEUTRON, cinder } = services;
  const calls: string[] = [];
  const call = (name: string, response: object) => () => {
    calls.push(name);
    return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
  };
  const list = { name: 'list', refreshAfter: () => Promise.resolve({ items: new Map() }) };
  const cloud = {
    region: 'GRA',
    cache: { flavors: list, images: list, networks: list, subnets: list, routers: list },
    client: {
      compute: { limits: call('nova limits', nova), availabilityZones: () => Promise.resolve([]) },
      network: { quotaDetails: call('neutron quotas', neutron), ports: { async *list() {} } },
      blockStorage: {
        limits: call('cinder limits', cinder ?? {}),
        volumeTypes: call('cinder types', cinder instanceof Error ? cinder : [{ id: 't', name: 'classic' }]),
      },
      session: {
        endpoint: () =>
          cinder === undefined ? Promise.reject(missing('there is no block-storage service')) : Promise.resolve(''),
      },
    },
  };
  return { calls, cloud: cloud as unknown as ProjectCloud };
}

function missing(message: string): OpenStackError {
  const call = { service: 'identity', method: 'GET', template: '/auth/catalog', outcome: 'notDone' } as const;
  return new OpenStackError({ ...call, kind: 'notFound', message });
}

describe("a project's quotas", () => {
  test('include those from Nova and Neutron, and from Cinder if it exists', async () => {
    const offer = new CloudOffer(new FakeClock(), silentLogger);
    const serverZones = {
      instances: { limit: 10, used: 3 },
      cores: { limit: -1, used: 6 },
      memoryMiB: { limit: 4096, used: 1024 },
      serverGroups: { limit: 5, used: 0 },
      networks: { limit: 9, used: 3 },
      floatingIPs: { limit: 4, used: 0 },
    };

    expect((await offer.catalogueOf(project().cloud)).quotas).toEqual(serverZones);
    expect((await offer.catalogueOf(project({ cinder: CINDER }).cloud)).quotas).toEqual({
      ...serverZones,
      volumes: { limit: 10, used: 1 },
      volumeGiB: { limit: 1000, used: 20 },
    });
  });

  test('include those from the services that respond', async () => {
    const offer = new CloudOffer(new FakeClock(), silentLogger);
    const fault = new Error('503');

    expect((await offer.catalogueOf(project({ nova: fault }).cloud)).quotas).toEqual({
      networks: { limit: 9, used: 3 },
      floatingIPs: { limit: 4, used: 0 },
    });
    expect(await offer.catalogueOf(project({ nova: fault, neutron: fault }).cloud)).not.toHaveProperty('quotas');
  });

  test('are read once a minute, or as often as the caller requests', async () => {
    const clock = new FakeClock();
    const offer = new CloudOffer(clock, silentLogger);
    const { calls, cloud } = project();
    for (let request = 0; request < 20; request++) await offer.catalogueOf(cloud);
    expect(calls).toEqual(['nova limits', 'neutron quotas']);

    await clock.advance(MINUTE_MS);
    await offer.catalogueOf(cloud);
    await offer.catalogueOf(cloud, { maxAgeMs: 60 * MINUTE_MS, quotasMaxAgeMs: 0 });
    expect(calls).toHaveLength(6);
  });
});

describe('cached quotas', () => {
  test('cost the cloud one request a minute for any number of users, and admission shares the response', async () => {
    const clock = new FakeClock();
    const offer = new CloudOffer(clock, silentLogger);
    const { calls, cloud } = project({ cinder: CINDER });
    const quotaResults = await Promise.all(Array.from({ length: 50 }, () => offer.quotasOf(cloud)));
    await offer.catalogueOf(cloud);

    expect(calls.filter((call) => call !== 'cinder types')).toEqual(['nova limits', 'neutron quotas', 'cinder limits']);
    expect(new Set(quotaResults.map(({ atMs }) => atMs))).toEqual(new Set([clock.now()]));
    expect(quotaResults[49]?.quotas).toMatchObject({ instances: { limit: 10, used: 3 } });
  });

  test('cost an unresponsive cloud no additional requests while the outage lasts', async () => {
    const clock = new FakeClock();
    const offer = new CloudOffer(clock, silentLogger);
    const fault = new Error('503');
    const { calls, cloud } = project({ nova: fault, neutron: fault });
    for (let minute = 0; minute < 10; minute++) {
      for (let tab = 0; tab < 20; tab++) {
        expect((await offer.quotasOf(cloud)).quotas).toBeUndefined();
        await offer.catalogueOf(cloud);
      }
      await clock.advance(MINUTE_MS);
    }

    expect(calls).toHaveLength(2 * 10);
  });

  test('are available again a minute after the cloud has recovered', async () => {
    const clock = new FakeClock();
    const offer = new CloudOffer(clock, silentLogger);
    const { cloud } = project({ nova: new Error('503') });
    expect((await offer.quotasOf(cloud)).quotas).not.toHaveProperty('instances');
    Object.assign(cloud.client.compute, { limits: () => Promise.resolve(NOVA) });
    await clock.advance(MINUTE_MS);

    expect((await offer.quotasOf(cloud)).quotas).toHaveProperty('instances');
  });
});

describe('volume types', () => {
  test('are listed if Cinder exists', async () => {
    const offer = new CloudOffer(new FakeClock(), silentLogger);

    expect(await offer.catalogueOf(project({ cinder: CINDER }).cloud)).toMatchObject({
      hasVolumes: true,
      volumeTypes: [{ id: 't', name: 'classic' }],
    });
    const without = await offer.catalogueOf(project().cloud);
    expect(without.hasVolumes).toBe(false);
    expect(without).not.toHaveProperty('volumeTypes');
  });

  test('are unknown while Cinder does not respond', async () => {
    const offer = new CloudOffer(new FakeClock(), silentLogger);
    const catalogue = await offer.catalogueOf(project({ cinder: new Error('503') }).cloud);

    expect(catalogue.hasVolumes).toBe(true);
    expect(catalogue).not.toHaveProperty('volumeTypes');
  });
});
