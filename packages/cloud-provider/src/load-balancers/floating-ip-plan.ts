import type { FloatingIp } from '@fairway/openstack/types/network';
import type { FloatingIPWish } from './wishes.ts';

/** How a Service's floating IPs are marked: those that go with it, and those that outlive it. */
export interface FloatingIpMarks {
  readonly own: string;
  readonly kept: string;
  /** Whether it was another Service's of the same cluster: at the address of one's own load balancer it is what that one has left to its heir. */
  readonly isLeft: (floatingIp: FloatingIp) => boolean;
}

export type FloatingIpStep =
  | { readonly kind: 'create'; readonly wish: FloatingIPWish; readonly description: string }
  | { readonly kind: 'attach' | 'detach' | 'delete'; readonly floatingIp: FloatingIp }
  | { readonly kind: 'describe'; readonly floatingIp: FloatingIp; readonly description: string };

export type FloatingIpPlan =
  | { readonly kind: 'step'; readonly step: FloatingIpStep }
  /** Undefined: an internal load balancer. */
  | { readonly kind: 'done'; readonly address: string | undefined }
  | { readonly kind: 'refused'; readonly message: string };

export interface FloatingIpState {
  readonly wish: FloatingIPWish | undefined;
  readonly keeps: boolean;
  readonly marks: FloatingIpMarks;
  /** The port of the load balancer's own address. */
  readonly portID: string;
  /** All of the project, oldest first. */
  readonly floatingIps: readonly FloatingIp[];
}

/**
 * The next step to the floating IP that a Service wants: what it has and does not want goes first, as a port has one. Only what carries the Service's mark is
 * deleted; anything else is at most detached. Pure.
 */
export function planFloatingIp(state: FloatingIpState): FloatingIpPlan {
  const { wish, keeps, marks, portID, floatingIps } = state;
  const isOwn = (each: FloatingIp) =>
    each.description === marks.own ||
    each.description === marks.kept ||
    (each.port_id === portID && marks.isLeft(each));
  const wanted = wish && wantedOf(state, wish, isOwn);
  const surplus = floatingIps.filter((each) => each !== wanted && (isOwn(each) || each.port_id === portID));
  for (const floatingIp of surplus) {
    if (isOwn(floatingIp) && !keeps) return step({ kind: 'delete', floatingIp });
    if (floatingIp.port_id === portID) return step({ kind: 'detach', floatingIp });
  }
  if (wish === undefined) return { kind: 'done', address: undefined };
  const description = keeps ? marks.kept : marks.own;
  if (wanted === undefined) return step({ kind: 'create', wish, description });
  if (wanted.port_id && wanted.port_id !== portID && !isOwn(wanted)) {
    const message = `${wish.addressField ?? 'spec.loadBalancerIP'}: the floating IP ${wanted.floating_ip_address} is in use by port ${wanted.port_id}; detach it there, or name another one`;
    return { kind: 'refused', message };
  }
  if (wanted.port_id !== portID) return step({ kind: 'attach', floatingIp: wanted });
  if (isOwn(wanted) && wanted.description !== description) {
    return step({ kind: 'describe', floatingIp: wanted, description });
  }
  return { kind: 'done', address: wanted.floating_ip_address };
}

/** The one that is asked for by its address; else the Service's own, or one that somebody has put there. */
function wantedOf(
  { portID, floatingIps }: FloatingIpState,
  { address, networkID }: FloatingIPWish,
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
