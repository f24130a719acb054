import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { aRelease } from '@fairway/api/testing/releases';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { TEAM, type TestFairway } from './test-fairway.ts';

/** Offers the first patch of each of these minor versions, without dates, instead of the shipped ones. */
export async function offer(fairway: TestFairway, minors: readonly string[]): Promise<void> {
  for (const minor of minors) {
    await fairway.client
      .resource(kubernetesReleases)
      .delete(minor)
      .catch(() => undefined);
    await fairway.create(kubernetesReleases, aRelease(minor, {}, [0]));
  }
}

interface JoinOptions {
  /** The time from a server becoming ACTIVE until its node appears. */
  readonly bootMs?: number;
  readonly mayJoin?: () => boolean;
}

/**
 * Servers become nodes with the kubelet version that their machine was created with. For a TestFairway with `nodesJoin:
 * false`.
 */
export function joinOnceActive(fairway: TestFairway, { bootMs = 0, mayJoin = () => true }: JoinOptions = {}): void {
  fairway.cloud.onServerActive(({ name, tags }) => {
    const owner = serverOwner({ tags });
    if (owner === undefined || !mayJoin()) return;
    const begin = () => void join(fairway, owner.clusterUid, name).catch(() => {});
    if (bootMs > 0) fairway.clock.after(bootMs, begin);
    else begin();
  });
}

async function join({ client, runtime }: TestFairway, clusterUid: string, name: string): Promise<void> {
  const { spec } = await client.resource(machines).get(name, { namespace: TEAM });
  await runtime.join(clusterUid, name, spec.version);
}
