import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { NODE_POOL_LABEL } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import { findCondition } from '@fairway/kube/controller/conditions';
import { claimsOtherServer, nodeReadyCondition, type TenantNode } from '@fairway/tenancy/connection/node';
import { parseProviderID } from '../nodes/provider-id.ts';

/** What to do with a Node. */
export type NodeAction =
  | { readonly kind: 'stays' }
  /** The cloud reported that the node's server no longer exists. */
  | { readonly kind: 'goes' }
  /**
   * The node has no Machine: it is deleted if the cluster has no server with its name and the project has no server
   * with its ID.
   */
  | { readonly kind: 'lookUp'; readonly serverID: string | undefined };

/**
 * Decides whether a Node is left over from a deleted server. A Ready node runs somewhere, regardless of what the cloud
 * reports. Among nodes without a Machine, only those labelled by Fairway's user data can be Fairway's: tenants may add
 * others, such as virtual nodes.
 */
export function nodeAction(node: TenantNode, machine: Machine | undefined, region: string): NodeAction {
  if (nodeReadyCondition(node)?.status === 'True' || node.metadata.deletionTimestamp !== undefined) return KEEP;
  if (machine) return isServerGone(machine) && !claimsOtherServer(node, serverOf(machine)) ? { kind: 'goes' } : KEEP;
  if (node.metadata.labels?.[NODE_POOL_LABEL] === undefined) return KEEP;
  const { providerID } = node.spec ?? {};
  if (!providerID) return { kind: 'lookUp', serverID: undefined };
  const named = parseProviderID(providerID);
  const isInRegion = named !== undefined && (named.region === '' || named.region === region);
  return isInRegion ? { kind: 'lookUp', serverID: named.serverID } : KEEP;
}

const KEEP: NodeAction = { kind: 'stays' };

/**
 * Whether the machine's controller reported that the server no longer exists. The controller concludes this from a list
 * and from the server itself, never from a failure. A machine that is being deleted removes its node itself.
 */
function isServerGone({ metadata, status }: Machine): boolean {
  const condition = findCondition(status?.conditions, ConditionType.ServerReady);
  const isReportedGone = condition?.status === 'False' && condition.reason === ConditionReason.ServerVanished;
  return isReportedGone && metadata.deletionTimestamp === undefined;
}

function serverOf({ status }: Machine): string {
  return status?.serverID ?? '';
}
