import { describe, expect, test } from 'vitest';
import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import { aCluster, aNodePool } from '../testing/objects.ts';
import { renewalNeed } from './renewal-need.ts';

const machine = {
  clusterName: 'demo',
  nodePoolName: 'general',
  flavor: 'b3-8',
  image: 'noble-1',
  version: '1.34.1',
  floatingIP: false,
  zone: 'a',
};

const forced = { from: '1.34.1', to: '1.35.0', time: '2026-11-22T00:00:00Z', asked: '1.34' };

interface Case {
  readonly reason: string;
  readonly asked?: string;
  readonly runs?: string;
  readonly forced?: NonNullable<Cluster['status']>['forcedUpgrade'];
  readonly pool?: Parameters<typeof aNodePool>[0];
  readonly image?: NonNullable<NodePool['status']>;
  readonly need: object | undefined;
}

function poolOf({ pool, image = { imageID: 'noble-1' } }: Case): NodePool {
  return { ...aNodePool(pool), status: image };
}

function clusterOf({ asked, runs = '1.34.1', forced }: Case): Cluster {
  const status = { version: runs, ...(forced && { forcedUpgrade: forced }) };
  return { ...aCluster(asked === undefined ? {} : { version: asked }), status };
}

describe('why a machine is to be renewed', () => {
  test.each<Case>([
    { reason: 'as asked for', need: undefined },
    { reason: 'the image is not looked up yet', image: {}, runs: '1.34.2', need: undefined },
    {
      reason: 'a patch that the cluster has taken by itself',
      asked: '1.34',
      runs: '1.34.2',
      need: { cause: 'Patch', change: 'reinstall', difference: 'version 1.34.1 instead of 1.34.2' },
    },
    { reason: 'a patch that a person names', asked: '1.34.2', runs: '1.34.2', need: { cause: 'Asked' } },
    { reason: 'another minor version', asked: '1.35', runs: '1.35.0', need: { cause: 'Asked' } },
    {
      reason: 'another minor version that nobody has asked for',
      asked: '1.34',
      runs: '1.35.0',
      forced,
      need: { cause: 'Forced', change: 'reinstall' },
    },
    {
      reason: 'the forced minor version, requested by the user since',
      asked: '1.35',
      runs: '1.35.0',
      forced,
      need: { cause: 'Asked', change: 'reinstall' },
    },
    {
      reason: 'a newer image of the same name',
      image: { imageID: 'noble-2', image: { earlierIDs: ['noble-1'] } },
      need: { cause: 'ImageBuild', difference: 'image noble-1 instead of noble-2' },
    },
    {
      reason: 'another image',
      image: { imageID: 'jammy', image: { asked: 'jammy', earlierIDs: [] } },
      need: { cause: 'Asked' },
    },
    {
      reason: 'a pool that an earlier release made does not know what its image was chosen by: nobody has asked',
      image: { imageID: 'noble-2' },
      need: { cause: 'ImageBuild' },
    },
    {
      reason: 'a patch and a newer image: as for the patch',
      asked: '1.34',
      runs: '1.34.2',
      image: { imageID: 'noble-2', image: { earlierIDs: ['noble-1'] } },
      need: { cause: 'Patch' },
    },
    {
      reason: 'a root volume needs another server',
      pool: { rootVolume: { sizeGiB: 50 } },
      need: { cause: 'Asked', change: 'replace', difference: 'root volume of the flavor instead of 50 GiB' },
    },
    {
      reason: 'another flavor needs another server',
      pool: { flavor: 'b3-16' },
      need: { cause: 'Asked', change: 'replace', difference: 'flavor b3-8 instead of b3-16' },
    },
    {
      reason: 'the same flavor by its id',
      pool: { flavor: 'f-8' },
      image: { imageID: 'noble-1', flavorID: 'f-8', flavorName: 'b3-8' },
      need: undefined,
    },
    {
      reason: 'another flavor by its id, which has not been looked up yet',
      pool: { flavor: 'f-16' },
      image: { imageID: 'noble-1', flavorID: 'f-8', flavorName: 'b3-8' },
      need: { cause: 'Asked', change: 'replace', difference: 'flavor b3-8 instead of f-16' },
    },
    {
      reason: 'its zone is no longer one of the pool',
      pool: { availabilityZones: ['b', 'c'] },
      need: { cause: 'Asked', change: 'replace', difference: 'zone a instead of b or c' },
    },
    { reason: 'a further zone moves no machine', pool: { availabilityZones: ['b', 'a'] }, need: undefined },
    { reason: 'a pool that names no zone leaves its machines where they are', pool: {}, need: undefined },
    { reason: 'a floating IP comes and goes without it', pool: { floatingIPs: { enabled: true } }, need: undefined },
  ])('$reason', (given) => {
    const need = renewalNeed(poolOf(given), clusterOf(given), machine);

    expect({ ...need }).toMatchObject({ ...given.need });
    expect(need === undefined).toBe(given.need === undefined);
  });
});
