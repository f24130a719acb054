import { describe, expect, test } from 'vitest';
import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import { aCluster, aNodePool } from '../testing/objects.ts';
import { requiredUpdate } from './required-update.ts';

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
  readonly requestedVersion?: string;
  readonly runs?: string;
  readonly forced?: NonNullable<Cluster['status']>['forcedUpgrade'];
  readonly pool?: Parameters<typeof aNodePool>[0];
  readonly image?: NonNullable<NodePool['status']>;
  readonly need: object | undefined;
}

function poolOf({ pool, image = { imageID: 'noble-1' } }: Case): NodePool {
  return { ...aNodePool(pool), status: image };
}

function clusterOf({ requestedVersion, runs = '1.34.1', forced }: Case): Cluster {
  const status = { version: runs, ...(forced && { forcedUpgrade: forced }) };
  return { ...aCluster(requestedVersion === undefined ? {} : { version: requestedVersion }), status };
}

describe('why a machine must be updated', () => {
  test.each<Case>([
    { reason: 'no update for an unchanged machine', need: undefined },
    { reason: 'no update while the image is unknown', image: {}, runs: '1.34.2', need: undefined },
    {
      reason: 'a patch installed automatically',
      requestedVersion: '1.34',
      runs: '1.34.2',
      need: { cause: 'Patch', change: 'reinstall', difference: 'version 1.34.1 instead of 1.34.2' },
    },
    { reason: 'a patch specified by the user', requestedVersion: '1.34.2', runs: '1.34.2', need: { cause: 'Asked' } },
    {
      reason: 'another minor version specified by the user',
      requestedVersion: '1.35',
      runs: '1.35.0',
      need: { cause: 'Asked' },
    },
    {
      reason: 'another minor version by a forced upgrade',
      requestedVersion: '1.34',
      runs: '1.35.0',
      forced,
      need: { cause: 'Forced', change: 'reinstall' },
    },
    {
      reason: 'the minor version of a forced upgrade, requested by the user since',
      requestedVersion: '1.35',
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
      reason: 'an image of unknown name in a pool of an earlier release',
      image: { imageID: 'noble-2' },
      need: { cause: 'ImageBuild' },
    },
    {
      reason: 'a patch rather than a newer image if both apply',
      requestedVersion: '1.34',
      runs: '1.34.2',
      image: { imageID: 'noble-2', image: { earlierIDs: ['noble-1'] } },
      need: { cause: 'Patch' },
    },
    {
      reason: 'replacement if the root volume changes',
      pool: { rootVolume: { sizeGiB: 50 } },
      need: { cause: 'Asked', change: 'replace', difference: 'root volume of the flavor instead of 50 GiB' },
    },
    {
      reason: 'replacement if the flavor changes',
      pool: { flavor: 'b3-16' },
      need: { cause: 'Asked', change: 'replace', difference: 'flavor b3-8 instead of b3-16' },
    },
    {
      reason: 'no update if the same flavor is specified by ID',
      pool: { flavor: 'f-8' },
      image: { imageID: 'noble-1', flavorID: 'f-8', flavorName: 'b3-8' },
      need: undefined,
    },
    {
      reason: 'replacement if the flavor changes to an ID that is not resolved yet',
      pool: { flavor: 'f-16' },
      image: { imageID: 'noble-1', flavorID: 'f-8', flavorName: 'b3-8' },
      need: { cause: 'Asked', change: 'replace', difference: 'flavor b3-8 instead of f-16' },
    },
    {
      reason: 'replacement if the machine is outside the zones of the pool',
      pool: { availabilityZones: ['b', 'c'] },
      need: { cause: 'Asked', change: 'replace', difference: 'zone a instead of b or c' },
    },
    { reason: 'no update if a zone is added', pool: { availabilityZones: ['b', 'a'] }, need: undefined },
    { reason: 'no update in a pool without zones', pool: {}, need: undefined },
    { reason: 'no update for a floating IP', pool: { floatingIPs: { enabled: true } }, need: undefined },
  ])('$reason', (testCase) => {
    const need = requiredUpdate(poolOf(testCase), clusterOf(testCase), machine);

    expect({ ...need }).toMatchObject({ ...testCase.need });
    expect(need === undefined).toBe(testCase.need === undefined);
  });
});
