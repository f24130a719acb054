import type { FloatingIp } from '@fairway/openstack/types/network';
import type { FloatingIPSpec } from './load-balancer-spec.ts';

/**
 * Descriptions that mark a Service's floating IPs: `own` for those deleted with the Service, `kept` for those that
 * outlive it.
 */
export interface FloatingIpMarks {
  readonly own: string;
  readonly kept: string;
  /**
   * Whether a floating IP belonged to another Service of the same cluster: a Service takes over such a floating IP if
   * it is on the Service's own load balancer.
   */
  readonly isInherited: (floatingIp: FloatingIp) => boolean;
}

export type FloatingIpStep =
  | { readonly kind: 'create'; readonly desired: FloatingIPSpec; readonly description: string }
  | { readonly kind: 'attach' | 'detach' | 'delete'; readonly floatingIp: FloatingIp }
  | { readonly kind: 'describe'; readonly floatingIp: FloatingIp; readonly description: string };

export type FloatingIpPlan =
  | { readonly kind: 'step'; readonly step: FloatingIpStep }
  /** Undefined for an internal load balancer. */
  | { readonly kind: 'done'; readonly address: string | undefined }
  | { readonly kind: 'refused'; readonly message: string };

export interface FloatingIpState {
  readonly desired: FloatingIPSpec | undefined;
  readonly keepsAddress: boolean;
  readonly marks: FloatingIpMarks;
  /** The port of the load balancer's VIP. */
  readonly portID: string;
  /** All floating IPs in the project, oldest first. */
  readonly floatingIps: readonly FloatingIp[];
}

/**
 * The next step towards the desired floating IP of a Service. Surplus floating IPs are removed first, because a port
 * can have only one. Only floating IPs with the Service's mark are deleted; others are at most detached. Pure.
 */
export function planFloatingIp(state: FloatingIpState): FloatingIpPlan {
  const { desired, keepsAddress, marks, portID, floatingIps } = state;
  const isOwn = (each: FloatingIp) =>
    each.description === marks.own ||
    each.description === marks.kept ||
    (each.port_id === portID && marks.isInherited(each));
  const desiredState = desired && desiredFloatingIp(state, desired, isOwn);
  const surplus = floatingIps.filter((each) => each !== desiredState && (isOwn(each) || each.port_id === portID));
  for (const floatingIp of surplus) {
    if (isOwn(floatingIp) && !keepsAddress) return step({ kind: 'delete', floatingIp });
    if (floatingIp.port_id === portID) return step({ kind: 'detach', floatingIp });
  }
  if (desired === undefined) return { kind: 'done', address: undefined };
  const description = keepsAddress ? marks.kept : marks.own;
  if (desiredState === undefined) return step({ kind: 'create', desired, description });
  if (desiredState.port_id && desiredState.port_id !== portID && !isOwn(desiredState)) {
    const message = `${desired.addressField ?? 'spec.loadBalancerIP'}: the floating IP ${desiredState.floating_ip_address} is in use by port ${desiredState.port_id}; detach it there, or specify another one`;
    return { kind: 'refused', message };
  }
  if (desiredState.port_id !== portID) return step({ kind: 'attach', floatingIp: desiredState });
  if (isOwn(desiredState) && desiredState.description !== description) {
    return step({ kind: 'describe', floatingIp: desiredState, description });
  }
  return { kind: 'done', address: desiredState.floating_ip_address };
}

/** The floating IP requested by address, otherwise the Service's own, or one attached by someone else. */
function desiredFloatingIp(
  { portID, floatingIps }: FloatingIpState,
  { address, networkID }: FloatingIPSpec,
  isOwn: (floatingIp: FloatingIp) => boolean,
): FloatingIp | undefined {
  if (address !== undefined) return floatingIps.find(({ floating_ip_address }) => floating_ip_address === address);
  const own = floatingIps.filter((each) => isOwn(each) && each.floating_network_id === networkID);
  return (
    own.find(({ port_id }) => port_id === portID) ?? own[0] ?? floatingIps.find(({ port_id }) => port_id === portID)
  );
}

function step(next: FloatingIpStep): FloatingIpPlan {
  return { kind: 'step', step: next };
}
