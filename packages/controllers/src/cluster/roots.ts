import { generationOf } from '@fairway/api/domain/template-change';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { ClusterPki } from '@fairway/control-plane/pki/cluster-pki';
import { isKept } from '../node-pool/availability.ts';
import {
  credentialRequests,
  NOT_AT_WORK,
  nextCredentialsStep,
  type RootsAtWork,
  takeCredentialsStep,
} from './credentials-step.ts';
import type { ClusterDependencies } from './dependencies.ts';

/**
 * The cluster's roots of trust, with what was asked for. Each step is one write of the Secret that holds them, made from what is stored at that moment: whoever is
 * killed in between, or has an old view, repeats it or finds it done.
 */
export async function settledRoots(
  cluster: Cluster,
  dependencies: Pick<ClusterDependencies, 'credentials' | 'clock'>,
): Promise<ClusterPki> {
  let pki = await dependencies.credentials.pki(cluster);
  for (;;) {
    const next = await steppedRoots(cluster, pki, NOT_AT_WORK, dependencies);
    if (next === pki) return pki;
    pki = next;
  }
}

/** The roots after one step at most; `pki` where there is none to take. */
export async function steppedRoots(
  cluster: Cluster,
  pki: ClusterPki,
  atWork: RootsAtWork,
  { credentials, clock }: Pick<ClusterDependencies, 'credentials' | 'clock'>,
): Promise<ClusterPki> {
  const requests = credentialRequests(cluster);
  if (nextCredentialsStep(pki, requests, atWork) === undefined) return pki;
  return credentials.change(cluster, async (stored) => {
    const isAsSeen = stored.rotation.stage === pki.rotation.stage;
    // What was seen at work may have been other roots.
    const next = nextCredentialsStep(stored, requests, isAsSeen ? atWork : NOT_AT_WORK);
    return next === undefined ? stored : takeCredentialsStep(stored, next, requests, clock);
  });
}

/**
 * How many machines trust the authorities of this rotation, by what is on their disks; of those without a server yet, by what it will be. Those whose servers are
 * kept for inspection are nodes no more, and are never renewed.
 */
export function renewedMachines(
  machines: readonly Machine[],
  { rotation }: Pick<ClusterPki, 'rotation'>,
): { readonly total: number; readonly renewed: number } {
  const isRenewed = ({ spec, status }: Machine) =>
    generationOf(spec) === rotation.generation && generationOf(status?.installed ?? spec) === rotation.generation;
  const nodes = machines.filter((machine) => !isKept(machine));
  return { total: nodes.length, renewed: nodes.filter(isRenewed).length };
}
