import { generationOf } from '@fairway/api/domain/template-change';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { ClusterPki } from '@fairway/control-plane/pki/cluster-pki';
import { isKeptForInspection } from '../node-pool/availability.ts';
import {
  credentialRequests,
  NOT_AT_WORK,
  nextCredentialsStep,
  type RootsAtWork,
  takeCredentialsStep,
} from './credentials-step.ts';
import type { ClusterDependencies } from './dependencies.ts';

/**
 * The cluster's roots of trust, with the requested changes. Each step is one write of the Secret that holds them, derived from what is
 * stored at that moment: a process that is killed in between, or has a stale view, repeats it or finds it done.
 */
export async function ensureRoots(
  cluster: Cluster,
  dependencies: Pick<ClusterDependencies, 'credentials' | 'clock'>,
): Promise<ClusterPki> {
  let pki = await dependencies.credentials.pki(cluster);
  for (;;) {
    const next = await advanceRoots(cluster, pki, NOT_AT_WORK, dependencies);
    if (next === pki) return pki;
    pki = next;
  }
}

/** The roots after at most one step; `pki` if there are none to adopt. */
export async function advanceRoots(
  cluster: Cluster,
  pki: ClusterPki,
  atWork: RootsAtWork,
  { credentials, clock }: Pick<ClusterDependencies, 'credentials' | 'clock'>,
): Promise<ClusterPki> {
  const requests = credentialRequests(cluster);
  if (nextCredentialsStep(pki, requests, atWork) === undefined) return pki;
  return credentials.change(cluster, async (stored) => {
    const isAsSeen = stored.rotation.stage === pki.rotation.stage;
    // The observation may be of other roots.
    const next = nextCredentialsStep(stored, requests, isAsSeen ? atWork : NOT_AT_WORK);
    return next === undefined ? stored : takeCredentialsStep(stored, next, requests, clock);
  });
}

/**
 * How many machines trust the authorities of this rotation, by what is on their disks; for those without a server yet, by what will be.
 * Servers retained for inspection are no longer nodes, and are never updated.
 */
export function renewedMachines(
  machines: readonly Machine[],
  { rotation }: Pick<ClusterPki, 'rotation'>,
): { readonly total: number; readonly renewed: number } {
  const isRenewed = ({ spec, status }: Machine) =>
    generationOf(spec) === rotation.generation && generationOf(status?.installed ?? spec) === rotation.generation;
  const nodes = machines.filter((machine) => !isKeptForInspection(machine));
  return { total: nodes.length, renewed: nodes.filter(isRenewed).length };
}
