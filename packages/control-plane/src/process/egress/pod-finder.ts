import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { Pods } from '@fairway/kube/kinds/resources';
import { endpointUrl } from '../../kubeconfig.ts';
import type { ApiServerTarget } from '../probes.ts';

/** A pod and the address of its kubelet. */
export interface PodLocation {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Address of the pod's node, as written by the kubelet or by a tenant. */
  readonly nodeAddress: string;
}

const TIMEOUT_MS = 5000;
/**
 * Only one pod can have a given address. Pods in the host network share their node's address, and a tenant can write
 * any address into the status.
 */
const MAX_PODS = 16;
const MAX_RESPONSE_BYTES = 4 * 2 ** 20;

/**
 * The pod that has the given address and its own network; undefined if there is none. Rejects if the API server does
 * not respond. Each lookup uses a new connection and closes it, because API servers keep connections to pods open, and
 * addresses get reassigned.
 */
export async function findPod(target: ApiServerTarget, address: string): Promise<PodLocation | undefined> {
  const transport = new HttpsTransport({
    server: endpointUrl(target.endpoint),
    certificateAuthority: target.certificateAuthority,
    clientCertificate: () => target,
    requestTimeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
  try {
    const pods = new KubeClient(transport).resource<Pod>(Pods);
    const { items } = await pods.list({
      fieldSelector: `status.podIP=${address},status.phase=Running`,
      limit: MAX_PODS,
    });
    return podLocationOf(items);
  } finally {
    transport.close();
  }
}

/**
 * Pods in the host network are skipped: they share the node's loopback addresses, whose listeners no one else may
 * reach. A Ready pod takes precedence.
 */
export function podLocationOf(pods: readonly Pod[]): PodLocation | undefined {
  const own = pods.filter(({ spec }) => spec?.hostNetwork !== true);
  const { metadata, status } = own.find(isReady) ?? own[0] ?? {};
  const { namespace, name, uid } = metadata ?? {};
  const nodeAddress = status?.hostIP;
  return namespace && name && uid && nodeAddress ? { namespace, name, uid, nodeAddress } : undefined;
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') ?? false;
}
