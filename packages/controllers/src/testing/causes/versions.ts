import { clusters } from '@fairway/api/kinds/cluster';
import { type KubernetesReleaseSpec, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { aRelease } from '@fairway/api/testing/releases';
import type { TestFairway } from '../test-fairway.ts';
import { type Cause, MINUTE_MS, type Steps } from './cause.ts';

/** Newer than all shipped releases, and without dates. */
const MINOR = '1.50';

/** A cluster that follows a minor version with one patch. */
function clusterOnMinor(
  cluster: Parameters<TestFairway['createCluster']>[0] = {},
): Pick<Steps, 'from' | 'begin' | 'request'> {
  const request = async (fairway: TestFairway) => {
    await fairway.create(kubernetesReleases, aRelease(MINOR, {}, [0]));
    await fairway.createCluster({ version: MINOR, ...cluster });
  };
  return { from: 'nothing', begin: request, request: () => undefined };
}

function changeRelease(spec: Partial<KubernetesReleaseSpec>): (fairway: TestFairway) => Promise<unknown> {
  return (fairway) => fairway.client.resource(kubernetesReleases).patch(MINOR, { type: 'merge', value: { spec } });
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const { patches: twoPatches } = aRelease(MINOR, {}, [0, 1]).spec;
const paused = { maxConcurrent: 20, maxPercent: 10, maxFailures: 1, timeout: '15m', paused: true };

/** Reports about versions, patches and rollouts. */
export const VERSION_CAUSES: readonly Cause[] = [
  {
    cause: 'The binaries of the version are not installed',
    by: {
      from: 'nothing',
      begin: async (fairway) => {
        fairway.runtime.availableVersions = [];
        await fairway.create(kubernetesReleases, aRelease(MINOR, {}, [0]));
      },
      request: () => undefined,
      laterChange: (fairway) => fairway.createCluster({ version: MINOR }),
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Pending',
    reason: 'ProgramsMissing',
    message:
      'spec.version: (1.50.0) cannot run here: this Fairway does not have the binaries of 1.50.0; the operator downloads them with "fairway releases fetch 1.50.0"; no version is available',
  },
  {
    cause: 'A patch waits because of updatePolicy',
    by: { ...clusterOnMinor({ updatePolicy: 'NeverUpdate' }), laterChange: changeRelease({ patches: twoPatches }) },
    afterMs: MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'UpToDate',
    reason: 'UpdateAvailable',
    message:
      '1.50.1 is available; updatePolicy NeverUpdate leaves the update to you: set spec.version to 1.50.1 to install it',
  },
  {
    cause: 'The rollout of a patch is stopped',
    by: { ...clusterOnMinor(), laterChange: changeRelease({ patches: twoPatches, rollout: paused }) },
    afterMs: MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'UpToDate',
    reason: 'RolloutHalted',
    message:
      '1.50.1 is available, but its rollout is paused by the operator; the operator must resume it (set spec.version to 1.50.1 to install it now)',
  },
  {
    cause: 'A release contradicts itself',
    by: {
      from: 'nothing',
      begin: (fairway) =>
        fairway.create(kubernetesReleases, aRelease(MINOR, { released: '2027-01-01', endOfLife: '2026-01-01' })),
      request: () => undefined,
    },
    kind: 'KubernetesRelease',
    phase: 'EndOfLife',
    reason: 'ConfigurationInvalid',
    message: 'spec.endOfLife: 2026-01-01 is before spec.released (2027-01-01)',
  },
  {
    cause: 'The version is deprecated',
    by: { ...clusterOnMinor(), laterChange: changeRelease({ phaseOverride: 'Deprecated' }) },
    afterMs: MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'VersionSupported',
    reason: 'VersionDeprecated',
    message: 'Kubernetes 1.50 is deprecated and reaches its end of life soon: no newer minor version is offered yet',
  },
  {
    cause: 'The version ends soon',
    by: {
      ...clusterOnMinor(),
      laterChange: (fairway) => changeRelease({ endOfLife: dayOf(fairway.clock.now() + 5 * 86_400_000) })(fairway),
    },
    afterMs: MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'VersionSupported',
    reason: 'VersionEndsSoon',
    message:
      'Kubernetes 1.50 reaches its end of life within 7 days, on 2026-01-06, and gets no fixes after that: no newer minor version is offered yet',
  },
  {
    cause: 'The version has reached its end of life',
    by: { ...clusterOnMinor(), laterChange: changeRelease({ phaseOverride: 'EndOfLife' }) },
    afterMs: MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'VersionSupported',
    reason: 'VersionEndOfLife',
    message:
      'Kubernetes 1.50 has reached its end of life and gets no further fixes: no newer minor version is offered yet',
  },
  {
    cause: 'Nodes are too old for the requested version',
    by: {
      from: 'nothing',
      begin: async (fairway) => {
        for (const minor of ['1.37', '1.38']) await fairway.create(kubernetesReleases, aRelease(minor, {}, [0]));
        await fairway.createCluster({ version: '1.37' });
        // The nodes in these tests report 1.34.2.
        await fairway.createPool({ replicas: 1 });
      },
      request: () => undefined,
      laterChange: (fairway) => fairway.patch(clusters, 'demo', { spec: { version: '1.38' } }),
    },
    afterMs: MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'UpToDate',
    reason: 'NodesTooOld',
    message:
      '1.38.0 is waiting for nodes that are more than three minor versions older: {machine} (1.34.2), in pool general. The pools update them first: see status.upgrade of each for progress and what it is waiting for',
  },
];
