import { isIP } from 'node:net';
import { KUBELET_PORT, METRICS_SERVER_PORT } from '@fairway/api/domain/node-ports';
import { canonicalAddress, cidrSet, isPublicAddress } from './special-addresses.ts';

/**
 * Egress types of kube-apiserver, named as in EgressSelectorConfiguration: `cluster` for nodes, pods, Services and aggregated
 * API servers, `controlplane` for webhooks by URL and token issuers.
 */
export type EgressKind = 'cluster' | 'controlplane';

export const EGRESS_KINDS = ['cluster', 'controlplane'] as const satisfies readonly EgressKind[];

/** The operator's exceptions: what control planes may reach in addition to the rules, and what they may never reach. */
export interface EgressExceptions {
  /** Allowed ranges, for all ports or a single one: `192.0.2.0/24`, `127.0.0.1/32:9443`. */
  readonly allowed: readonly string[];
  /** Denied ranges; they override everything else. */
  readonly denied: readonly string[];
}

export interface EgressRules {
  /** Ranges that contain the addresses of the cluster's nodes. */
  readonly nodeNetworks: readonly string[];
  readonly exceptions: EgressExceptions;
  /** Addresses of this machine, read for each decision because they change. */
  readonly ownAddresses: () => readonly string[];
}

/** Why connections to an address are denied; undefined if they are allowed. */
export type EgressPolicy = (kind: EgressKind, address: string, port: number) => string | undefined;

/** Ports on the cluster's own nodes: kubelets and metrics-server. */
const NODE_PORTS: ReadonlySet<number> = new Set([KUBELET_PORT, METRICS_SERVER_PORT]);
/** Ports outside the cluster's own nodes: kubelets with public addresses, and endpoints of Services. */
const PUBLIC_CLUSTER_PORTS: ReadonlySet<number> = new Set([443, KUBELET_PORT]);

const ALWAYS_DENIED = cidrSet(['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '::1', 'fe80::/10']);

/**
 * Allowed destinations of tenants' API servers: the kubelets and metrics-server of their own nodes, and the Internet.
 * This machine is never allowed, regardless of the ranges that a tenant specifies for its nodes. Private addresses
 * belong to the operator's networks and are only allowed by the operator.
 */
export function egressPolicy({ nodeNetworks, exceptions, ownAddresses }: EgressRules): EgressPolicy {
  const isDenied = cidrSet(exceptions.denied);
  const allowed = exceptions.allowed.map(parseEgressTarget);
  const isNode = cidrSet(nodeNetworks);
  return (kind, host, port) => {
    if (isIP(host) === 0) return `${host} is not an address`;
    const address = canonicalAddress(host);
    if (isDenied(address)) return `the operator does not allow connections to ${address}`;
    if (allowed.some((target) => target.has(address) && (target.port ?? port) === port)) return undefined;
    if (ALWAYS_DENIED(address)) return `${address} is a loopback or link-local address`;
    if (cidrSet(ownAddresses())(address)) return `${address} is an address of the machine that runs the control plane`;
    if (kind === 'cluster' && isNode(address)) {
      return NODE_PORTS.has(port) ? undefined : allowedPortsMessage(address, NODE_PORTS, port);
    }
    if (!isPublicAddress(address)) return `${address} is neither a node of the cluster nor a public address`;
    if (kind === 'cluster' && !PUBLIC_CLUSTER_PORTS.has(port)) {
      return allowedPortsMessage(address, PUBLIC_CLUSTER_PORTS, port);
    }
    return undefined;
  };
}

function allowedPortsMessage(address: string, ports: ReadonlySet<number>, port: number): string {
  return `${address} may only be reached on ports ${[...ports].join(' and ')}, not ${port}`;
}

interface EgressTarget {
  readonly has: (address: string) => boolean;
  /** Undefined for any port. */
  readonly port: number | undefined;
}

/** Parses `192.0.2.0/24`, `192.0.2.0/24:443`, `2001:db8::/32`, `[2001:db8::/32]:443`. Throws for anything else. */
export function parseEgressTarget(text: string): EgressTarget {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(text);
  const plain = /^([\d.]+(?:\/\d+)?)(?::(\d+))?$/.exec(text);
  const [, cidr = text, portText] = bracketed ?? plain ?? [];
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535))
    throw new Error(`"${text}": a port must be between 1 and 65535`);
  return { has: cidrSet([cidr]), port };
}
