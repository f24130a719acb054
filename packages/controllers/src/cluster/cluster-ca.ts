import { generationOf } from '@fairway/api/domain/template-change';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { ClusterPki } from '@fairway/control-plane/pki/cluster-pki';
import { isKeptForInspection } from '../node-pool/availability.ts';
import {
  credentialRequests,
  NO_ROTATION,
  nextCredentialsStep,
  type RotationProgress,
  takeCredentialsStep,
} from './credentials-step.ts';
import type { ClusterDependencies } from './dependencies.ts';

/**
 * The cluster's CA, with the requested changes. Each step is one write of its Secret, derived from what is stored at
 * that moment: a process that is killed in between, or has a stale view, repeats it or finds it already done.
 */
export async function ensureClusterCa(
  cluster: Cluster,
  dependencies: Pick<ClusterDependencies, 'credentials' | 'clock'>,
): Promise<ClusterPki> {
  let pki = await dependencies.credentials.pki(cluster);
  for (;;) {
    const next = await advanceCaRotation(cluster, pki, NO_ROTATION, dependencies);
    if (next === pki) return pki;
    pki = next;
  }
}

/** The CA state after at most one step; `pki` if no step is due. */
export async function advanceCaRotation(
  cluster: Cluster,
  pki: ClusterPki,
  rotationProgress: RotationProgress,
  { credentials, clock }: Pick<ClusterDependencies, 'credentials' | 'clock'>,
): Promise<ClusterPki> {
  const requests = credentialRequests(cluster);
  if (nextCredentialsStep(pki, requests, rotationProgress) === undefined) return pki;
  return credentials.change(cluster, async (stored) => {
    const isStageUnchanged = stored.rotation.stage === pki.rotation.stage;
    // The observation may have been made with a different CA.
    const next = nextCredentialsStep(stored, requests, isStageUnchanged ? rotationProgress : NO_ROTATION);
    return next === undefined ? stored : takeCredentialsStep(stored, next, requests, clock);
  });
}

/**
 * How many machines trust the CA of this rotation, based on the current contents of their disks, or the future contents
 * for machines without a server. Servers retained for inspection are no longer nodes, and are never updated.
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
