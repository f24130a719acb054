import { planProblems } from '@fairway/api/domain/plan-problems';
import { plans } from '@fairway/api/kinds/plan';
import { FEATURE_NAMES } from '@fairway/api/kinds/plan-limits';
import { aPlan } from '@fairway/api/testing/objects';
import { parseObject } from '@fairway/api/validation/schema-errors';
import { describe, expect, test } from 'vitest';
import { FULL_CLOUD, withoutService } from '../../testing/full-cloud.ts';
import type { CloudObservation } from '../cloud-observation.ts';
import { type ProposedSpec, proposals } from './proposals.ts';
import type { StatedLimits, StoredPlan } from './stated-limits.ts';

const PROVIDERS = { services: { loadBalancerProviders: ['amphora', 'ovn'] } };

/** The proposal for a plan with these limits and the providers of the cloud. */
function proposedFor(change: Partial<CloudObservation>, stated: StatedLimits = {}): ProposedSpec | undefined {
  const base = aPlan().spec;
  const spec = { ...base, ...stated, services: { ...PROVIDERS.services, ...stated.services } } as StoredPlan['spec'];
  const [proposal, ...more] = proposals({ ...FULL_CLOUD, ...change }, [{ metadata: { name: 'free' }, spec }]);
  expect(more).toEqual([]);
  return proposal?.spec;
}

function without(...values: readonly string[]): string[] {
  return FEATURE_NAMES.filter((name) => !values.includes(name));
}

const REASONS = {
  noShares: 'the cloud has no shared file systems',
  noLoadBalancers: 'the cloud has no load balancers',
  noVolumes: 'the cloud has no volumes',
  noIpv6: 'the cloud has no IPv6 addresses',
};
const INGRESS = 'run an ingress controller in the cluster';
const ONE_NODE = 'use a volume with ReadWriteOnce, and run its pods on one node';
const note = (limit: string, value: string, reason: string, alternative?: string) => ({
  limit,
  value,
  reason,
  ...(alternative !== undefined && { alternative }),
});

test('a cloud that offers everything needs no limits', () => {
  expect(proposedFor({})).toBeUndefined();
});

test.each<{ lacks: string; change: Partial<CloudObservation>; expected: ProposedSpec }>([
  {
    lacks: 'Manila',
    change: withoutService('shared-file-system'),
    expected: {
      storage: { accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'] },
      allowed: { features: without('Shares') },
      limitNotes: [
        note('allowed.features', 'Shares', REASONS.noShares, ONE_NODE),
        note('storage.accessModes', 'ReadOnlyMany', REASONS.noShares, ONE_NODE),
        note('storage.accessModes', 'ReadWriteMany', REASONS.noShares, ONE_NODE),
      ],
    },
  },
  {
    lacks: 'Manila, but has a multiattach type',
    change: {
      ...withoutService('shared-file-system'),
      choices: {
        ...FULL_CLOUD.choices,
        volumeTypes: { value: [{ id: 'v2', name: 'multi', isMultiattach: true }] },
      },
    },
    expected: {
      allowed: { features: without('Shares') },
      limitNotes: [note('allowed.features', 'Shares', REASONS.noShares, ONE_NODE)],
    },
  },
  {
    lacks: 'Octavia',
    change: { ...withoutService('load-balancer'), loadBalancerProviders: { problem: 'notFound' } },
    expected: {
      services: { types: ['ClusterIP', 'NodePort', 'ExternalName'] },
      allowed: { features: without('Ingresses', 'Gateways') },
      limitNotes: [
        note('services.types', 'LoadBalancer', REASONS.noLoadBalancers, 'use a Service of type NodePort'),
        note('allowed.features', 'Ingresses', REASONS.noLoadBalancers, INGRESS),
        note('allowed.features', 'Gateways', REASONS.noLoadBalancers, INGRESS),
      ],
    },
  },
  {
    lacks: 'load balancers of HTTP',
    change: { loadBalancerProviders: { value: ['ovn'] } },
    expected: {
      allowed: { features: without('Ingresses', 'Gateways') },
      limitNotes: ['Ingresses', 'Gateways'].map((value) =>
        note('allowed.features', value, "the cloud's load balancers (ovn) cannot route HTTP requests", INGRESS),
      ),
    },
  },
  {
    lacks: 'Cinder',
    change: withoutService('block-storage'),
    expected: {
      storage: { classes: [] },
      allowed: { features: without('VolumeSnapshots') },
      limitNotes: [
        note('allowed.features', 'VolumeSnapshots', REASONS.noVolumes, 'back up the data from within the pods'),
      ],
    },
  },
  {
    lacks: 'snapshots',
    change: { choices: { ...FULL_CLOUD.choices, maxVolumeSnapshots: { value: 0 } } },
    expected: {
      allowed: { features: without('VolumeSnapshots') },
      limitNotes: [
        note(
          'allowed.features',
          'VolumeSnapshots',
          'projects have no quota for volume snapshots',
          'back up the data from within the pods',
        ),
      ],
    },
  },
  {
    lacks: 'IPv6',
    change: { ipv6Sources: { value: [] } },
    expected: {
      network: { ipFamilies: ['IPv4'] },
      services: { ipFamilies: ['IPv4'] },
      limitNotes: ['network.ipFamilies', 'services.ipFamilies'].flatMap((limit) =>
        ['IPv6', 'DualStack'].map((value) => note(limit, value, REASONS.noIpv6, 'use IPv4')),
      ),
    },
  },
  {
    lacks: 'external networks',
    change: { externalNetworks: { value: [] } },
    expected: {
      allowed: { features: without('FloatingIPs') },
      limitNotes: [note('allowed.features', 'FloatingIPs', 'the cloud has no floating IPs')],
    },
  },
  {
    lacks: 'memory in one flavor',
    change: {
      flavors: {
        value: [
          { id: 'f2', name: 's1-1', vcpus: 1, memoryMiB: 1024, diskGiB: 10 },
          { id: 'f1', name: 'b3-8', vcpus: 2, memoryMiB: 8192, diskGiB: 0 },
        ],
      },
    },
    expected: {
      allowed: { flavors: ['b3-8'] },
      limitNotes: [
        {
          limit: 'allowed.flavors',
          reason: 'other flavors have too little memory, or no disk',
          alternative: 'use b3-8',
        },
      ],
    },
  },
  {
    lacks: 'Ubuntu or Debian in one image',
    change: {
      images: {
        value: [
          { id: 'i1', name: 'Ubuntu', distro: 'ubuntu', version: '24.04' },
          { id: 'i2', name: 'Unknown', distro: undefined, version: undefined },
          { id: 'i3', name: 'Windows', distro: 'windows', version: '11' },
        ],
      },
    },
    expected: {
      allowed: { images: ['Ubuntu', 'Unknown'] },
      limitNotes: [
        {
          limit: 'allowed.images',
          reason: 'nodes need an image of Ubuntu or Debian',
          alternative: 'use Ubuntu or Unknown',
        },
      ],
    },
  },
])('a cloud that lacks $lacks', ({ change, expected }) => {
  expect(proposedFor(change, { allowed: {}, storage: undefined })).toEqual(expected);
});

describe('no limits are proposed', () => {
  test.each<{ reason: string; change: Partial<CloudObservation> }>([
    {
      reason: 'for services that do not answer',
      change: {
        services: {
          ...FULL_CLOUD.services,
          'shared-file-system': { problem: 'forbidden (403)' },
          'load-balancer': { problem: 'unavailable (500)' },
          'block-storage': { problem: 'unavailable (503)' },
        },
        loadBalancerProviders: { problem: 'unavailable (500)' },
        choices: {
          ...FULL_CLOUD.choices,
          volumeTypes: { problem: 'unavailable (503)' },
          maxVolumeSnapshots: { problem: 'unavailable (503)' },
        },
        flavors: { value: [{ id: 'f1', name: 'b3-8', vcpus: 2, memoryMiB: 8192, diskGiB: 0 }] },
      },
    },
    {
      reason: 'for lists that do not arrive',
      change: {
        externalNetworks: { problem: 'unavailable (503)' },
        ipv6Sources: { problem: 'unavailable (503)' },
        flavors: { problem: 'unavailable (503)' },
        images: { problem: 'unavailable (503)' },
      },
    },
    {
      reason: 'if no flavor fits, because a Plan must list one',
      change: { flavors: { value: [{ id: 'f2', name: 's1-1', vcpus: 1, memoryMiB: 1024, diskGiB: 10 }] } },
    },
    {
      reason: 'if more flavors fit than a Plan can list',
      change: {
        flavors: {
          value: [1024, ...Array.from({ length: 101 }, () => 8192)].map((memoryMiB, index) => ({
            id: `f${index}`,
            name: `f${index}`,
            vcpus: 2,
            memoryMiB,
            diskGiB: 10,
          })),
        },
      },
    },
    {
      reason: 'for a service with a configured endpoint',
      change: { missingServices: ['shared-file-system'] },
    },
  ])('$reason', ({ change }) => {
    expect(proposedFor(change)).toBeUndefined();
  });
});

describe('what plans state', () => {
  const change = withoutService('shared-file-system');
  const notes = [
    note('allowed.features', 'Shares', ''),
    note('storage.accessModes', 'ReadOnlyMany', ''),
    note('storage.accessModes', 'ReadWriteMany', ''),
  ];
  const limited: StatedLimits = { storage: { accessModes: ['ReadWriteOnce'] }, allowed: { features: [] } };

  test('is not proposed again', () => {
    expect(proposedFor(change, { ...limited, limitNotes: notes })).toBeUndefined();
  });

  test('is not explained again by a note on all values', () => {
    const limitNotes = [
      { limit: 'allowed.features', value: '' },
      { limit: 'storage.accessModes', value: '' },
    ];

    expect(proposedFor(change, { ...limited, limitNotes })).toBeUndefined();
  });

  test('is explained if it has no note', () => {
    expect(proposedFor(change, limited)).toMatchObject({
      limitNotes: notes.map(({ limit, value }) => ({ limit, value })),
    });
    expect(Object.keys(proposedFor(change, limited) ?? {})).toEqual(['limitNotes']);
  });

  test('remains limited', () => {
    const stated: StatedLimits = {
      storage: { accessModes: ['ReadWriteMany', 'ReadWriteOnce'] },
      allowed: { features: ['Reset'] },
      limitNotes: notes,
    };

    expect(proposedFor(change, stated)).toEqual({ storage: { accessModes: ['ReadWriteOnce'] } });
  });

  test('may leave no value to propose', () => {
    const stated: StatedLimits = { ...limited, storage: { accessModes: ['ReadWriteMany'] }, limitNotes: notes };

    expect(proposedFor(change, stated)).toBeUndefined();
  });
});

test('plans that need the same limits share a proposal, and new plans need all of them', () => {
  const cloud = { ...FULL_CLOUD, ...withoutService('shared-file-system') };
  const free = aPlan();
  const limited = aPlan({
    allowed: { features: [] },
    storage: { accessModes: ['ReadWriteOnce'], tenantClasses: 'Allowed' },
  });
  const named = (name: string, { spec }: StoredPlan) => ({ metadata: { name }, spec });
  const found = proposals(cloud, [named('a', free), named('b', limited), named('c', free)]);

  expect(found.map(({ plans }) => plans)).toEqual([['a', 'c'], ['b']]);
  expect(proposals(cloud, undefined)).toEqual([{ plans: [], spec: found[0]?.spec }]);
  expect(proposals(FULL_CLOUD, [])).toEqual([]);
});

test('plans with the proposed limits are valid', () => {
  const cloud: CloudObservation = {
    ...FULL_CLOUD,
    services: {
      ...FULL_CLOUD.services,
      ...Object.fromEntries(
        ['shared-file-system', 'load-balancer', 'block-storage'].map((type) => [type, { problem: '' }]),
      ),
    },
    missingServices: ['shared-file-system', 'load-balancer', 'block-storage'],
    ipv6Sources: { value: [] },
    externalNetworks: { value: [] },
  };
  const { spec } = aPlan();
  const [proposal] = proposals(cloud, [aPlan()]);
  const {
    limitNotes = [],
    storage,
    allowed,
    network,
    services,
  } = (proposal?.spec ?? {}) as ProposedSpec & StatedLimits;
  const parsed = parseObject(plans, {
    metadata: { name: 'limited' },
    spec: {
      ...spec,
      storage: { ...spec.storage, ...storage },
      allowed: { ...spec.allowed, ...allowed },
      network: { ...spec.network, ...network },
      services,
      limitNotes,
    },
  });

  expect(limitNotes.length).toBeGreaterThan(8);
  expect(parsed).toMatchObject({ ok: true, object: { spec: { storage, allowed, services, limitNotes } } });
  expect(parsed.ok && planProblems(parsed.object)).toEqual([]);
});
