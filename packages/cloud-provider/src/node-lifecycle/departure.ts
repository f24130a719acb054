import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { NODE_POOL_LABEL } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import { findCondition } from '@fairway/kube/controller/conditions';
import { claimsOtherServer, nodeReadyCondition, type TenantNode } from '@fairway/tenancy/connection/node';
import { parseProviderID } from '../nodes/provider-id.ts';

/** What is to become of a Node. */
export type Departure =
  | { readonly kind: 'stays' }
  /** The cloud has said that its server is no more. */
  | { readonly kind: 'goes' }
  /** No Machine accounts for it: it goes if the cluster has no server of its name, and its project none of this id. */
  | { readonly kind: 'lookUp'; readonly serverID: string | undefined };

/**
 * Whether a Node is left over from a server that is gone. A Ready node runs somewhere, whatever the cloud says of its server. Of nodes
 * without a Machine only those that Fairway's user data have labelled can be its own: tenants may add others, such as virtual ones.
 */
export function departureOf(node: TenantNode, machine: Machine | undefined, region: string): Departure {
  if (nodeReadyCondition(node)?.status === 'True' || node.metadata.deletionTimestamp !== undefined) return STAYS;
  if (machine) return isServerGone(machine) && !claimsOtherServer(node, serverOf(machine)) ? { kind: 'goes' } : STAYS;
  if (node.metadata.labels?.[NODE_POOL_LABEL] === undefined) return STAYS;
  const { providerID } = node.spec ?? {};
  if (!providerID) return { kind: 'lookUp', serverID: undefined };
  const named = parseProviderID(providerID);
  const isHere = named !== undefined && (named.region === '' || named.region === region);
  return isHere ? { kind: 'lookUp', serverID: named.serverID } : STAYS;
}

const STAYS: Departure = { kind: 'stays' };

/** The machine's controller concludes it from a list and from the server itself, never from a failure; a machine that is being deleted removes its node itself. */
function isServerGone({ metadata, status }: Machine): boolean {
  const condition = findCondition(status?.conditions, ConditionType.ServerReady);
  const isTold = condition?.status === 'False' && condition.reason === ConditionReason.ServerVanished;
  return isTold && metadata.deletionTimestamp === undefined;
}

function serverOf({ status }: Machine): string {
  return status?.serverID ?? '';
}
