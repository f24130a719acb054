import { resolve } from 'node:path';
import type { Clock } from '@fairway/base/clock';
import { HttpsTransport, type HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import { inClusterConnection } from '@fairway/kube/client/in-cluster';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { TransportError } from '@fairway/kube/client/transport';
import { isApiError } from '@fairway/kube/object/api-error';
import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { FAIRWAY_VERSION } from '@fairway/service/version';
import type { CliContext, GlobalOptions } from '../command/context.ts';

/** A management cluster's API. */
export interface ManagementConnection {
  readonly transport: HttpsTransportOptions;
  /** For messages: the server, and how it was found. */
  readonly description: string;
}

/**
 * The cluster set by the options, then KUBECONFIG, then (in a pod) its own cluster, then ~/.kube/config. Never the
 * API of a `fairway up` in this directory, since that is already a Fairway and not a management cluster.
 */
export async function managementConnection(
  { env, cwd, clock }: Pick<CliContext, 'env' | 'cwd' | 'clock'>,
  options: GlobalOptions,
): Promise<ManagementConnection> {
  const isExplicit = options.kubeconfig !== undefined || options.context !== undefined || Boolean(env['KUBECONFIG']);
  const inCluster = isExplicit ? undefined : await inClusterConnection({ env, clock });
  if (inCluster !== undefined) {
    return { transport: inCluster, description: `${inCluster.server} (this pod's own cluster)` };
  }
  const path = options.kubeconfig === undefined ? undefined : resolve(cwd, options.kubeconfig);
  const { transport, context } = await loadKubeConnection({ path, context: options.context, env, clock });
  return { transport, description: `${transport.server} (context ${context})` };
}

/**
 * Adds advice to the error from a management cluster that does not respond or rejects the credentials; returns other
 * errors unchanged.
 */
export function explainManagementError(error: unknown, { description }: ManagementConnection): unknown {
  if (
    error instanceof TransportError &&
    UNREACHABLE_CODES.has((error.cause as NodeJS.ErrnoException | undefined)?.code)
  ) {
    return new CommandError(`the API server of the management cluster does not answer: ${error.message}`, {
      exitCode: ExitCode.Unreachable,
      advice: `it must be running when Fairway starts: check it, or check "server" in the kubeconfig (${description})`,
      cause: error,
    });
  }
  if (isApiError(error, 'Unauthorized')) {
    return new CommandError(`${description} does not accept the credential of the kubeconfig (401 Unauthorized)`, {
      advice:
        'it may have expired; a token for "fairway serve" comes from "kubectl -n fairway-system create token fairway"',
      cause: error,
    });
  }
  return error;
}

const UNREACHABLE_CODES: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

export function managementClient({ transport }: ManagementConnection, clock: Clock, userAgent = 'fairway'): KubeClient {
  return new KubeClient(new HttpsTransport({ ...transport, clock }), {
    userAgent: `${userAgent}/${FAIRWAY_VERSION}`,
    clock,
  });
}
