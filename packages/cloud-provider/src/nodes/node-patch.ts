import { isDeepStrictEqual } from 'node:util';
import type { Machine } from '@fairway/api/kinds/machine';
import type { Server } from '@fairway/openstack/types/server';
import {
  claimsOtherServer,
  type NodeTaint,
  type TenantNode,
  UNINITIALIZED_TAINT,
} from '@fairway/tenancy/connection/node';
import { machineAddresses } from '@fairway/tenancy/machine-addresses';

/** The taint by which kube-scheduler and the node lifecycle controller know that the machine is shut down. */
const SHUTDOWN_TAINT: NodeTaint = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' };

/** The patches of a Node from its server. */
export interface NodePatches {
  /** JSON merge patch of the object; undefined if it is up to date. */
  readonly object: object | undefined;
  /** JSON merge patch of the status subresource. */
  readonly status: object | undefined;
}

export interface ServerFacts {
  readonly server: Server;
  readonly region: string;
  readonly flavorName: string;
}

/**
 * Sets a Node's providerID, instance type, zone, region and addresses, and removes the `uninitialized` taint:
 * the duties of a cloud provider
 * (https://kubernetes.io/docs/concepts/architecture/cloud-controller/#node-controller). providerID is never changed; a node
 * that claims to be another server keeps the taint for as long as it does, whether it registered with it or not.
 */
export function nodePatches(node: TenantNode, machine: Machine, facts: ServerFacts): NodePatches {
  const labels = missingLabels(node, machine, facts);
  const providerID = node.spec?.providerID ? undefined : providerIDOf(facts);
  const isKnown = !claimsOtherServer(node, facts.server.id);
  const taints = wantedTaints(node.spec?.taints ?? [], facts.server.status, isKnown);
  const spec = { ...(providerID !== undefined && { providerID }), ...(taints && { taints }) };
  const isObjectSame = Object.keys(labels).length + Object.keys(spec).length === 0;
  const addresses = wantedAddresses(node, facts.server);
  return {
    object: isObjectSame
      ? undefined
      : {
          metadata: { resourceVersion: node.metadata.resourceVersion, labels },
          ...(Object.keys(spec).length > 0 && { spec }),
        },
    status: addresses && { status: { addresses } },
  };
}

/**
 * `openstack://REGION/SERVER`, as in cloud-provider-openstack with OS_CCM_REGIONAL; without a region
 * `openstack:///SERVER`.
 */
export function providerIDOf({
  server,
  region,
}: Pick<ServerFacts, 'region'> & { readonly server: { readonly id: string } }): string {
  return `openstack://${region}/${server.id}`;
}

function missingLabels(node: TenantNode, machine: Machine, facts: ServerFacts): Record<string, string> {
  const zone = facts.server['OS-EXT-AZ:availability_zone'] || machine.spec.zone;
  const wanted: Record<string, string> = {
    ...both('node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type', facts.flavorName),
    ...(zone && both('topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone', zone)),
    ...(facts.region &&
      both('topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region', facts.region)),
  };
  const present = node.metadata.labels ?? {};
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => present[key] !== value));
}

function both(name: string, betaName: string, value: string): Record<string, string> {
  const label = labelValue(value);
  return { [name]: label, [betaName]: label };
}

/** Converts a cloud's name to a label value: invalid characters become dashes, 63 at most, no dash at the ends. */
function labelValue(text: string): string {
  const clean = text.replace(/[^-a-zA-Z0-9_.]+/g, '-').slice(0, 63);
  return clean.replace(/^[-_.]+|[-_.]+$/g, '');
}

function wantedTaints(
  taints: readonly NodeTaint[],
  serverStatus: string,
  isKnown: boolean,
): readonly NodeTaint[] | undefined {
  const kept = taints.filter(({ key }) => key !== SHUTDOWN_TAINT.key && (key !== UNINITIALIZED_TAINT || !isKnown));
  if (!isKnown && !kept.some(({ key }) => key === UNINITIALIZED_TAINT)) {
    kept.push({ key: UNINITIALIZED_TAINT, value: 'true', effect: 'NoSchedule' });
  }
  const shutdown = taints.find(({ key }) => key === SHUTDOWN_TAINT.key) ?? SHUTDOWN_TAINT;
  const wanted = serverStatus === 'SHUTOFF' ? [...kept, shutdown] : kept;
  return isDeepStrictEqual(wanted, taints) ? undefined : wanted;
}

/** The server's addresses and name, regardless of the kubelet's; if the cloud temporarily has none, nothing changes. */
function wantedAddresses(node: TenantNode, server: Server) {
  const ips = machineAddresses(server).filter(({ type }) => type !== 'Hostname');
  if (ips.length === 0) return undefined;
  const present = node.status?.addresses ?? [];
  const wanted = [...ips, { type: 'Hostname', address: server.name }];
  return isDeepStrictEqual(
    wanted,
    present.map(({ type, address }) => ({ type, address })),
  )
    ? undefined
    : wanted;
}
