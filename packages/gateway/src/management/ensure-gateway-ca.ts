import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { Clock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { Secrets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import {
  createGatewayCa,
  GATEWAY_CA_SECRET,
  type GatewayCa,
  gatewayCaSecret,
  parseGatewayCaSecret,
  renewGatewayCa,
} from './gateway-ca.ts';

/**
 * Reads the CA that all replicas share, creates it if it is missing, and performs the next step of the rotation if one
 * is due.
 */
export async function ensureGatewayCa(client: KubeClient, clock: Clock): Promise<GatewayCa> {
  const secrets = client.resource(Secrets);
  for (;;) {
    const stored = await read(client);
    try {
      if (stored === undefined) {
        const gatewayCa = await createGatewayCa(clock);
        await secrets.create(gatewayCaSecret(gatewayCa));
        return gatewayCa;
      }
      const gatewayCa = await parseGatewayCaSecret(stored);
      const renewedCa = await renewGatewayCa(gatewayCa, clock);
      if (renewedCa === undefined) return gatewayCa;
      await secrets.update({ ...stored, data: gatewayCaSecret(renewedCa).data ?? {} });
      return renewedCa;
    } catch (error) {
      // Another replica got there first, and its write wins.
      if (!isApiError(error, 'AlreadyExists', 'Conflict')) throw error;
    }
  }
}

function read(client: KubeClient): Promise<Secret | undefined> {
  return undefinedIfNotFound(client.resource(Secrets).get(GATEWAY_CA_SECRET, { namespace: SYSTEM_NAMESPACE }));
}
