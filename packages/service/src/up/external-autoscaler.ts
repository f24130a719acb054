import type { Clock } from '@fairway/base/clock';
import { formatTime } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import {
  autoscalerServerTls,
  issueAutoscalerCertificate,
  loadAutoscalerAuthority,
} from '@fairway/external-autoscaler/certificates';
import { serveExternalAutoscalers } from '@fairway/external-autoscaler/server';
import type { IssueAutoscalerConfig } from '@fairway/gateway/autoscaler-config/autoscaler-config-request';
import { ApiError } from '@fairway/kube/object/api-error';
import type { Engine } from '../fairway/engine.ts';
import type { Fairway } from '../fairway/fairway.ts';
import { certificateNames, clientUrl, type ServerNames } from '../serve/server-address.ts';

export interface OpenExternalAutoscaler {
  readonly issue: IssueAutoscalerConfig;
  close(): void;
}

/** Used until autoscalers are served, because the API starts before the controllers. */
export const rejectWhileStarting: IssueAutoscalerConfig = () => {
  const message = 'Fairway is starting and does not serve external autoscalers yet';
  return Promise.reject(new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 }));
};

/** Serves clusters' own autoscalers at `names.listen`, and issues their credentials. */
export async function openExternalAutoscaler(
  { nodeGroups, registry }: Pick<Fairway<Engine>, 'nodeGroups' | 'registry'>,
  names: ServerNames,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<OpenExternalAutoscaler> {
  const authority = await loadAutoscalerAuthority(nodeGroups.client, clock);
  const tls = await autoscalerServerTls(authority, certificateNames(names), clock);
  const server = await serveExternalAutoscalers({ ...nodeGroups, ...names.listen, tls, registry, log });
  const address = new URL(clientUrl(names, server.port)).host;
  return {
    issue: async (cluster, validityMs) => {
      const issued = await issueAutoscalerCertificate(authority, { cluster, validityMs }, clock);
      return {
        address,
        certificate: issued.certificatePem,
        privateKey: issued.privateKeyPem,
        certificateAuthority: issued.authorityPem,
        expirationTimestamp: formatTime(issued.notAfterMs),
      };
    },
    close: () => server.close(),
  };
}
