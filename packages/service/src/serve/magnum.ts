import type { ManagementGateway } from '@fairway/gateway/management/management-gateway';
import { requireMagnumRights } from '@fairway/gateway/management/required-rights';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Engine } from '../fairway/engine.ts';
import type { Fairway } from '../fairway/fairway.ts';
import { logFor } from '../log-levels.ts';
import { type MagnumListener, type ServeMagnumOptions, serveMagnum } from '../magnum/serve-magnum.ts';

/** Maximum delay before Magnum's API picks up a renewed gateway certificate. */
const CERTIFICATE_POLL_MS = 60_000;

/**
 * Serves Magnum's API alongside a replica's gateway, through which it makes all requests for its users. Any replica can
 * respond to any request.
 */
export async function openReplicaMagnum(
  gateway: ManagementGateway,
  fairway: Fairway<Engine>,
  options: Omit<ServeMagnumOptions, 'clientOf' | 'tls' | 'renewalMs'>,
): Promise<MagnumListener> {
  const { clock } = options;
  await requireMagnumRights(fairway.engine.client);
  return serveMagnum(fairway, {
    ...options,
    clientOf: (_user, { token, peer }, onWarning) =>
      new KubeClient(gateway.connect({ bearerToken: token, peer }), { userAgent: 'fairway-magnum', clock, onWarning }),
    tls: () => gateway.tls(),
    renewalMs: CERTIFICATE_POLL_MS,
    log: logFor(options.log, 'gateway'),
  });
}
