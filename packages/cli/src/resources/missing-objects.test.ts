import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import type { Manifest } from './manifest.ts';
import { missingObjects } from './missing-objects.ts';

const cluster = aCluster({ plan: 'free', version: '1.35' }, { name: 'prod' });
const pool = (name: string, replicas = 3) => aNodePool({ clusterName: 'prod', replicas }, { name });
const [web, db] = [pool('web'), pool('db')];
const terminating = { deletionTimestamp: '2026-11-28T00:00:00Z' };
const nothing: Manifest = { clusters: [], pools: [] };
const all: Manifest = { clusters: [cluster], pools: [web, db] };

test.each<{ reason: string; requested: Manifest; existing: Manifest; missing: Manifest }>([
  { reason: 'nothing exists', requested: all, existing: nothing, missing: all },
  {
    reason: 'an earlier run ended after creating the cluster',
    requested: all,
    existing: { clusters: [cluster], pools: [] },
    missing: { clusters: [], pools: [web, db] },
  },
  {
    reason: 'an earlier run ended between two pools',
    requested: all,
    existing: { clusters: [cluster], pools: [web] },
    missing: { clusters: [], pools: [db] },
  },
  {
    reason: 'pools are created before their cluster',
    requested: all,
    existing: { clusters: [], pools: [web] },
    missing: { clusters: [cluster], pools: [db] },
  },
  {
    reason: 'omitted fields match any value',
    requested: { clusters: [{ ...cluster, spec: { plan: 'free' } } as typeof cluster], pools: [web] },
    existing: { clusters: [cluster], pools: [] },
    missing: { clusters: [], pools: [web] },
  },
  {
    reason: 'only some pools of a file exist',
    requested: { clusters: [], pools: [web, db] },
    existing: { clusters: [], pools: [web] },
    missing: { clusters: [], pools: [db] },
  },
])('$reason', ({ requested, existing, missing }) => {
  expect(missingObjects(requested, existing)).toEqual(missing);
});

describe('refuses', () => {
  test.each<{ reason: string; requested: Manifest; existing: Manifest; message: RegExp; advice: RegExp }>([
    {
      reason: 'a request for objects that all exist',
      requested: all,
      existing: all,
      message: /^cluster "prod" already exists$/,
      advice: /^to wait for it: fairway cluster wait prod; to change it: fairway cluster update prod$/,
    },
    {
      reason: 'a cluster of the same name with another plan',
      requested: { clusters: [aCluster({ plan: 'standard' }, { name: 'prod' })], pools: [web] },
      existing: { clusters: [cluster], pools: [] },
      message: /^cluster "prod" already exists, and differs: cluster "prod" spec\.plan: free -> standard$/,
      advice: /nodepool create web --cluster prod --flavor \S+ --nodes 3$/,
    },
    {
      reason: 'a cluster of the same name with a pool that was not requested',
      requested: { clusters: [cluster], pools: [web] },
      existing: { clusters: [cluster], pools: [db] },
      message: /^cluster "prod" already exists$/,
      advice: /^it has the pools db; to add pool web: fairway nodepool create web --cluster prod/,
    },
    {
      reason: 'a pool of the same name in another cluster',
      requested: { clusters: [cluster], pools: [web] },
      existing: { clusters: [], pools: [aNodePool({ clusterName: 'other' }, { name: 'web' })] },
      message: /^node pool "web" already exists, and differs: node pool "web" spec\.clusterName: other -> prod/,
      advice: /nodepool wait web; to change it: fairway nodepool update web$/,
    },
    {
      reason: 'a cluster of the same name that is being deleted',
      requested: all,
      existing: { clusters: [{ ...cluster, metadata: { ...cluster.metadata, ...terminating } }], pools: [] },
      message: /^"prod" is still being deleted$/,
      advice: /fairway cluster wait prod --for=deleted$/,
    },
  ])('$reason', ({ requested, existing, message, advice }) => {
    expect(() => missingObjects(requested, existing)).toThrow(message);
    expect(() => missingObjects(requested, existing)).toThrow(
      expect.objectContaining({ advice: expect.stringMatching(advice) }) as Error,
    );
  });
});
