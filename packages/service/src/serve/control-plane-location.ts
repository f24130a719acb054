import { hostname } from 'node:os';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Lease } from '@fairway/kube/kinds/generated/types';
import { Leases } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { Home } from '../up/home.ts';
import { homeId } from '../up/home-id.ts';

/** A Lease used only for its name: the first replica that creates it decides where control planes run. */
const NAME = 'fairway-control-planes';
const HOME_ID_ANNOTATION = 'fairway.dev/home-id';
const LOCATION_ANNOTATION = 'fairway.dev/place';

/** Thrown if the control planes of a management cluster run elsewhere. */
export class ForeignControlPlanesError extends Error {
  override readonly name = 'ForeignControlPlanesError';
}

/**
 * Ensures that control planes running on one machine, with their data in one directory, are managed only there. A
 * replica with a different directory would start the clusters that it takes over with empty databases. Rejects with a
 * ForeignControlPlanesError, or with the API's errors.
 */
export async function claimControlPlanes(client: KubeClient, home: Home, host = hostname()): Promise<void> {
  const currentHomeID = homeId(home);
  const annotations = { [HOME_ID_ANNOTATION]: currentHomeID, [LOCATION_ANNOTATION]: `${host}:${home.path}` };
  const currentLease = await createOrReadLease(client, annotations);
  const { [HOME_ID_ANNOTATION]: id, [LOCATION_ANNOTATION]: place } = currentLease.metadata.annotations ?? {};
  if (id === currentHomeID) return;
  throw new ForeignControlPlanesError(
    `the control planes of this management cluster run in ${place}, not in ${annotations[LOCATION_ANNOTATION]}`,
  );
}

/** Advice for a ForeignControlPlanesError. */
export const FOREIGN_ADVICE = `run all replicas on that machine with that --home; if its data is lost: kubectl -n ${SYSTEM_NAMESPACE} delete lease ${NAME}`;

async function createOrReadLease(client: KubeClient, annotations: Readonly<Record<string, string>>): Promise<Lease> {
  const leases = client.resource(Leases);
  try {
    return await leases.create({ metadata: { name: NAME, namespace: SYSTEM_NAMESPACE, annotations }, spec: {} });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    return leases.get(NAME, { namespace: SYSTEM_NAMESPACE });
  }
}
