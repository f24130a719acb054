import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { admitCluster } from '@fairway/api/admission/admit-cluster';
import { admitNodePool } from '@fairway/api/admission/admit-node-pool';
import type { CloudCatalogue } from '@fairway/api/admission/cloud-catalogue';
import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { SHIPPED_PLANS } from '@fairway/api/data/plans';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { Kind } from '@fairway/api/kinds/kind';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { ruleErrors } from '@fairway/api/validation/object-rules';
import { parseObject } from '@fairway/api/validation/schema-errors';
import type { KubeObject } from '@fairway/kube/object/meta';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import { describe, expect, test } from 'vitest';
import { type Manifest, parseManifest } from './manifest.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../examples');

/** Resources of the simulated cloud, plus the placeholder network of an example. */
const catalogue: CloudCatalogue = {
  regions: [DEFAULT_CONFIG.region],
  zones: DEFAULT_CONFIG.zones.map(({ name }) => name),
  flavors: DEFAULT_CONFIG.flavors.map(({ id, name, vcpus, ramMiB, diskGiB }) => ({
    id,
    name,
    vcpus,
    memoryMiB: ramMiB,
    diskGiB,
  })),
  images: DEFAULT_CONFIG.images.map(({ id, name, minDiskGiB, minRamMiB }) => ({
    id,
    name,
    minDiskGiB,
    minMemoryMiB: minRamMiB,
  })),
  networks: [{ id: '11111111-2222-4333-8444-555555555555', name: 'own', isExternal: false }],
  subnets: [
    {
      id: '66666666-7777-4888-8999-000000000000',
      name: 'own',
      networkID: '11111111-2222-4333-8444-555555555555',
      cidr: '192.168.0.0/24',
      ipVersion: 4,
    },
  ],
};

/** The object with defaults, or errors from the schema and rules. */
function checked<T extends KubeObject>(kind: Kind<T>, object: T): T {
  const parsed = parseObject(kind, object as T & { spec?: unknown });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  expect(ruleErrors(kind, parsed.object, undefined)).toEqual([]);
  return parsed.object;
}

const shared = { old: undefined, plans: SHIPPED_PLANS, catalogue, nowMs: Date.UTC(2026, 10, 22) };
const FILES = globSync('*.yaml', { cwd: EXAMPLES });

function manifestOf(file: string): Manifest {
  const manifest = parseManifest(readFileSync(join(EXAMPLES, file), 'utf8'), file, 'default');
  return {
    clusters: manifest.clusters.map((cluster) => checked(clusters, cluster)),
    pools: manifest.pools.map((pool) => checked(nodePools, pool)),
  };
}

/** The errors of manifests that are applied to one namespace in order. */
function errorsOf(manifests: readonly Manifest[]): readonly unknown[] {
  const existing: { readonly clusters: Cluster[]; readonly pools: NodePool[] } = { clusters: [], pools: [] };
  const errors: unknown[] = [];
  for (const manifest of manifests) {
    for (const cluster of manifest.clusters) {
      const request = { ...shared, cluster, releases: SHIPPED_RELEASES, pools: [], others: existing.clusters };
      errors.push(...admitCluster(request));
      existing.clusters.push(cluster);
    }
    for (const pool of manifest.pools) {
      errors.push(...admitNodePool({ ...shared, pool, clusters: existing.clusters, others: existing.pools }));
      existing.pools.push(pool);
    }
  }
  return errors;
}

test.each(FILES)('admits examples/%s', (file) => {
  const manifest = manifestOf(file);

  expect(manifest.clusters).toHaveLength(1);
  expect(manifest.pools.length).toBeGreaterThan(0);
  expect(errorsOf([manifest])).toEqual([]);
});

describe('all examples in one namespace', () => {
  const manifests = FILES.map(manifestOf);

  test('are admitted together', () => {
    expect(manifests.length).toBeGreaterThan(1);
    expect(errorsOf(manifests)).toEqual([]);
  });

  test("have unique names, and pool names start with their cluster's name", () => {
    const clusterNames = manifests.flatMap((manifest) => manifest.clusters).map(({ metadata }) => metadata.name);
    const pools = manifests.flatMap((manifest) => manifest.pools);
    const names = pools.map(({ metadata }) => metadata.name);

    expect(new Set(clusterNames).size).toBe(clusterNames.length);
    expect(new Set(names).size).toBe(names.length);
    expect(pools.filter(({ metadata, spec }) => !metadata.name?.startsWith(`${spec.clusterName}-`))).toEqual([]);
  });
});

test.each([
  { text: 'kind: [', message: /file is not valid YAML/, reason: 'broken YAML' },
  {
    text: 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}',
    message: /object 1: v1 Pod must be a Cluster or a NodePool/,
    reason: 'another kind',
  },
  {
    text: '---\napiVersion: fairway.dev/v1alpha1\nkind: Cluster',
    message: /object 1: .*metadata/s,
    reason: 'an object without a name',
  },
])('refuses $reason', ({ text, message }) => {
  expect(() => parseManifest(text, 'file', 'default')).toThrow(message);
});
