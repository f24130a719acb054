import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { KUBELET_PORT } from '@fairway/api/domain/node-ports';
import type { ClientCertificate } from '@fairway/kube/client/https-connections';
import { WebSocket } from 'ws';
import type { ApiServerTarget } from '../probes.ts';
import type { EgressNetwork } from './egress-network.ts';
import { findPod, type PodLocation } from './pod-finder.ts';
import { PodStream } from './pod-stream.ts';

/** What is required to reach a cluster's pods. */
export interface PodAccess {
  /** The cluster's own API server, as Fairway reaches it: it determines which pod has a given address. */
  readonly apiServer: ApiServerTarget;
  /** Authenticates the API server to kubelets. */
  readonly kubeletClient: ClientCertificate;
}

/** Why a node's kubelet may not be connected to; undefined if it may. */
export type KubeletPolicy = (nodeAddress: string, port: number) => string | undefined;

const PROTOCOL = 'v4.channel.k8s.io';
/** Time limit for the entire handshake: otherwise a node could prolong it by sending a byte now and then. */
const HANDSHAKE_TIMEOUT_MS = 5000;
/** Container runtimes send 32 KiB at a time. */
const MAX_MESSAGE_BYTES = 2 ** 20;

/**
 * Reaches the pods of a cluster from outside its network: kubelets forward ports to them, as for `kubectl
 * port-forward`. Only the kubelets need to be reachable, regardless of any cluster's pod range.
 *
 * **Caveats.** Connections go to a pod's loopback address: servers that listen only on the pod's own address are not
 * reachable, and NetworkPolicies do not apply. Whether a process is listening is known only later: a failed connection
 * just ends.
 */
export class PodNetwork {
  readonly #access: PodAccess;
  readonly #network: EgressNetwork;

  constructor(access: PodAccess, network: EgressNetwork) {
    this.#access = access;
    this.#network = network;
  }

  /**
   * Connects to the pod that has the given address. Undefined if there is none, or if its kubelet may not be connected
   * to. Rejects on failure.
   */
  async connect(address: string, port: number, policy: KubeletPolicy): Promise<Duplex | undefined> {
    const { apiServer, kubeletClient } = this.#access;
    const pod = await findPod(apiServer, address);
    if (pod === undefined || policy(pod.nodeAddress, KUBELET_PORT) !== undefined) return undefined;
    const socket = await this.#network.connect(pod.nodeAddress, KUBELET_PORT);
    return forward(socket, { ...kubeletClient, authority: apiServer.certificateAuthority, pod, port });
  }
}

interface PortForwardTarget extends ClientCertificate {
  /** CA of kubelets' certificates. */
  readonly authority: string;
  readonly pod: PodLocation;
  readonly port: number;
}

/** Makes the kubelet at the other end forward a port. */
function forward(
  socket: Socket,
  { certificate, privateKey, authority, pod, port }: PortForwardTarget,
): Promise<Duplex> {
  const host = pod.nodeAddress;
  const authorityPart = host.includes(':') ? `[${host}]` : host;
  const path = ['portForward', pod.namespace, pod.name, pod.uid].map(encodeURIComponent).join('/');
  const webSocket = new WebSocket(`wss://${authorityPart}:${KUBELET_PORT}/${path}?port=${port}`, PROTOCOL, {
    createConnection: () => connectTls({ socket, host, ca: authority, cert: certificate, key: privateKey }),
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const stream = new PodStream(webSocket);
  const timeoutError = new Error(`no answer within ${HANDSHAKE_TIMEOUT_MS / 1000} s`);
  const deadline = setTimeout(() => stream.destroy(timeoutError), HANDSHAKE_TIMEOUT_MS);
  const fail = ({ message }: Error) => {
    clearTimeout(deadline);
    socket.destroy();
    reject(
      new Error(
        `the kubelet of pod ${pod.namespace}/${pod.name} at ${host} does not forward the connection: ${message}`,
      ),
    );
  };
  stream.once('error', fail);
  webSocket.once('open', () => {
    clearTimeout(deadline);
    stream.off('error', fail);
    resolve(stream);
  });
  return promise;
}
