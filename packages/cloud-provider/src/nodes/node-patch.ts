import { isDeepStrictEqual } from 'node:util';
import type { Machine } from '@fairway/api/kinds/machine';
import { labelValue } from '@fairway/kube/object/label-value';
import type { Server } from '@fairway/openstack/types/server';
import { isStopped } from '@fairway/tenancy/cloud/servers';
import {
  claimsOtherServer,
  type NodeTaint,
  type TenantNode,
  UNINITIALIZED_TAINT,
} from '@fairway/tenancy/connection/node';
import { type AddressRules, machineAddresses } from '@fairway/tenancy/machine-addresses';
import { providedNodeIPs, selectedAddresses } from './node-addresses.ts';
import { providerIDOf } from './provider-id.ts';

/** The taint by which kube-scheduler and the node lifecycle controller recognize that the machine is shut down. */
export const SHUTDOWN_TAINT: NodeTaint = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' };

/** The patches that set the fields of a Node from its server. */
export interface NodePatches {
  /** JSON merge patch of the object; undefined if it is up to date. */
  readonly object: object | undefined;
  /** JSON merge patch of the status subresource. */
  readonly status: object | undefined;
}

export interface ServerFacts {
  readonly server: Server;
  readonly region: string;
  /** Whether its providerID includes the region. */
  readonly includesRegion: boolean;
  readonly flavorName: string;
  /** Selects the node's addresses from the server's addresses. */
  readonly addressRules: AddressRules;
}

/**
 * Sets a Node's providerID, instance type, zone, region and addresses, and removes the `uninitialized` taint: the
 * duties of a cloud provider (https://kubernetes.io/docs/concepts/architecture/cloud-controller/#node-controller).
 * providerID is never changed once set. A node that claims to be another server keeps the taint for as long as it makes
 * that claim, whether or not it already made the claim when it registered.
 */
export function nodePatches(node: TenantNode, machine: Machine, facts: ServerFacts): NodePatches {
  const labels = missingLabels(node, machine, facts);
  const providerID = node.spec?.providerID
    ? undefined
    : providerIDOf({ region: facts.includesRegion ? facts.region : '', serverID: facts.server.id });
  const isKnown = !claimsOtherServer(node, facts.server.id);
  const taints = desiredTaints(node.spec?.taints ?? [], isStopped(facts.server), isKnown);
  const spec = { ...(providerID !== undefined && { providerID }), ...(taints && { taints }) };
  const isMetadataUnchanged = Object.keys(labels).length + Object.keys(spec).length === 0;
  const addresses = desiredAddresses(node, facts);
  return {
    object: isMetadataUnchanged
      ? undefined
      : {
          metadata: { resourceVersion: node.metadata.resourceVersion, labels },
          ...(Object.keys(spec).length > 0 && { spec }),
        },
    status: addresses && { status: { addresses } },
  };
}

function missingLabels(node: TenantNode, machine: Machine, facts: ServerFacts): Record<string, string> {
  const zone = facts.server['OS-EXT-AZ:availability_zone'] || machine.spec.zone;
  const desired: Record<string, string> = {
    ...withBetaLabel('node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type', facts.flavorName),
    ...withBetaLabel('topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone', zone),
    ...withBetaLabel('topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region', facts.region),
  };
  const present = node.metadata.labels ?? {};
  return Object.fromEntries(Object.entries(desired).filter(([key, value]) => present[key] !== value));
}

/** Undefined while the name is unknown. */
function withBetaLabel(name: string, betaName: string, value = ''): Record<string, string> {
  const label = labelValue(value);
  return label === '' ? {} : { [name]: label, [betaName]: label };
}

function desiredTaints(
  taints: readonly NodeTaint[],
  isShutDown: boolean,
  isKnown: boolean,
): readonly NodeTaint[] | undefined {
  const kept = taints.filter(({ key }) => key !== SHUTDOWN_TAINT.key && (key !== UNINITIALIZED_TAINT || !isKnown));
  if (!isKnown && !kept.some(({ key }) => key === UNINITIALIZED_TAINT)) {
    kept.push({ key: UNINITIALIZED_TAINT, value: 'true', effect: 'NoSchedule' });
  }
  const shutdown = taints.find(({ key }) => key === SHUTDOWN_TAINT.key) ?? SHUTDOWN_TAINT;
  const desired = isShutDown ? [...kept, shutdown] : kept;
  return isDeepStrictEqual(desired, taints) ? undefined : desired;
}

/**
 * The server's addresses and name, regardless of what the kubelet reports. Undefined if the cloud reports no addresses,
 * which may be temporary.
 */
function desiredAddresses(node: TenantNode, { server, addressRules }: ServerFacts) {
  const addresses = machineAddresses(server, addressRules);
  if (addresses.every(({ type }) => type === 'Hostname')) return undefined;
  const present = node.status?.addresses ?? [];
  const desired = selectedAddresses(addresses, providedNodeIPs(node.metadata.annotations));
  return isDeepStrictEqual(
    desired,
    present.map(({ type, address }) => ({ type, address })),
  )
    ? undefined
    : desired;
}
