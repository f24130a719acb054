import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { Clock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { Secrets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import {
  createGatewayRoots,
  type GatewayRoots,
  parseRootsSecret,
  ROOTS_SECRET,
  renewedRoots,
  rootsSecret,
} from './gateway-roots.ts';

/** Reads the CAs that all replicas share, creates them if there are none, and takes the next step of a rotation that is due. */
export async function ensureRoots(client: KubeClient, clock: Clock): Promise<GatewayRoots> {
  const secrets = client.resource(Secrets);
  for (;;) {
    const stored = await read(client);
    try {
      if (stored === undefined) {
        const roots = await createGatewayRoots(clock);
        await secrets.create(rootsSecret(roots));
        return roots;
      }
      const roots = await parseRootsSecret(stored);
      const renewed = await renewedRoots(roots, clock);
      if (renewed === undefined) return roots;
      await secrets.update({ ...stored, data: rootsSecret(renewed).data ?? {} });
      return renewed;
    } catch (error) {
      // Another replica was faster: its write wins.
      if (!isApiError(error, 'AlreadyExists', 'Conflict')) throw error;
    }
  }
}

function read(client: KubeClient): Promise<Secret | undefined> {
  return undefinedIfNotFound(client.resource(Secrets).get(ROOTS_SECRET, { namespace: SYSTEM_NAMESPACE }));
}
