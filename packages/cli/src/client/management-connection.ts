import { resolve } from 'node:path';
import { HttpsTransport, type HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import { inClusterConnection } from '@fairway/kube/client/in-cluster';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import type { Clock } from '@fairway/kube/clock';
import { CLIENT_VERSION } from '../command/client-version.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';

/** A management cluster's API. */
export interface ManagementConnection {
  readonly transport: HttpsTransportOptions;
  /** For people: the server, and how it was found. */
  readonly description: string;
}

/**
 * The cluster that the options name; else that of KUBECONFIG; else, in a pod, its own; else that of ~/.kube/config. Never the API of a `fairway up` in
 * this folder: that is a Fairway already.
 */
export async function managementConnection(
  { env, cwd, clock }: Pick<CliContext, 'env' | 'cwd' | 'clock'>,
  options: GlobalOptions,
): Promise<ManagementConnection> {
  const isNamed = options.kubeconfig !== undefined || options.context !== undefined || Boolean(env['KUBECONFIG']);
  const inCluster = isNamed ? undefined : await inClusterConnection({ env, clock });
  if (inCluster !== undefined) {
    return { transport: inCluster, description: `${inCluster.server} (this pod's own cluster)` };
  }
  const path = options.kubeconfig === undefined ? undefined : resolve(cwd, options.kubeconfig);
  const { transport, context } = await loadKubeConnection({ path, context: options.context, env, clock });
  return { transport, description: `${transport.server} (context ${context})` };
}

export function managementClient({ transport }: ManagementConnection, clock: Clock, userAgent = 'fairway'): KubeClient {
  return new KubeClient(new HttpsTransport({ ...transport, clock }), {
    userAgent: `${userAgent}/${CLIENT_VERSION}`,
    clock,
  });
}
