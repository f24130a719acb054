import { API_VERSION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import {
  KUBECONFIG_REQUEST_KIND,
  KUBECONFIG_SUBRESOURCE,
  type KubeconfigRequest,
} from '@fairway/api/kinds/kubeconfig-request';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';
import { CommandError, usageError } from '@fairway/service/command-error';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { localTime } from '../output/local-time.ts';
import { writeKubeconfig } from './write-kubeconfig.ts';

interface PrintKubeconfigOptions {
  /** Milliseconds. */
  readonly expiration: number;
  /** A path, or true for ~/.kube/config. */
  readonly merge?: string | true;
  readonly output?: string;
  readonly contextName?: string;
}

export async function printKubeconfig(
  context: CliContext,
  globals: GlobalOptions,
  clusterName: string | undefined,
  options: PrintKubeconfigOptions,
): Promise<void> {
  if (clusterName === undefined) {
    throw usageError('which cluster?', "name a cluster, or use --exec for a kubeconfig of Fairway's own API");
  }
  const { kubeconfig, expirationTimestamp } = await withConnection(context, globals, async ({ client, namespace }) => {
    const request: KubeconfigRequest = {
      apiVersion: API_VERSION,
      kind: KUBECONFIG_REQUEST_KIND.kind,
      metadata: {},
      spec: { expirationSeconds: Math.round(options.expiration / 1000) },
    };
    const write = { namespace, signal: context.signal };
    try {
      const response = await client
        .resource(clusters)
        .createSubresource(clusterName, KUBECONFIG_SUBRESOURCE, request, write);
      if (response.status === undefined) throw new CommandError('the response has no kubeconfig');
      return response.status;
    } catch (error) {
      throw await explained(error, client, clusterName, namespace);
    }
  });
  const { merge, output, contextName } = options;
  await writeKubeconfig(context, kubeconfig, {
    merge,
    output,
    contextName,
    note: `; valid until ${localTime(expirationTimestamp)}`,
  });
}

/** kube-apiserver serves Clusters without their kubeconfig subresource, which only the gateway serves. */
async function explained(refusal: unknown, client: KubeClient, name: string, namespace: string): Promise<unknown> {
  if (!isApiError(refusal, 'NotFound')) return refusal;
  try {
    await client.resource(clusters).get(name, { namespace });
  } catch {
    return refusal;
  }
  return new CommandError(`the API server has cluster "${name}" but cannot issue kubeconfigs`, {
    advice: 'use the gateway of "fairway serve": set its address and CA in the kubeconfig',
    cause: refusal,
  });
}
