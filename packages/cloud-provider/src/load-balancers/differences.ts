import { isDeepStrictEqual } from 'node:util';
import type {
  HealthMonitor,
  HealthMonitorFields,
  Listener,
  ListenerFields,
  Member,
  MemberCreate,
  Pool,
  PoolFields,
} from '@fairway/openstack/types/load-balancer';

/*
 * The body of a PUT for an object of a load balancer's tree; undefined if nothing differs. Only desired fields are compared: users may set names, and Octavia
 * sets others itself.
 */

const LISTENER_FIELDS = [
  'connection_limit',
  'timeout_client_data',
  'timeout_member_connect',
  'timeout_member_data',
  'timeout_tcp_inspect',
] as const;

export function listenerChanges(wanted: ListenerFields, now: Listener): object | undefined {
  const changes: Record<string, unknown> = {};
  for (const field of LISTENER_FIELDS) {
    const value = wanted[field];
    if (value !== undefined && value !== now[field]) changes[field] = value;
  }
  const ranges = wanted.allowed_cidrs ?? [];
  if (!isSameSet(ranges, now.allowed_cidrs ?? [])) changes['allowed_cidrs'] = ranges.length === 0 ? null : ranges;
  const headers = wanted.insert_headers;
  if (headers && !isDeepStrictEqual({ ...headers }, { ...now.insert_headers })) changes['insert_headers'] = headers;
  const tls = wanted.default_tls_container_ref;
  if (tls !== undefined && tls !== now.default_tls_container_ref) changes['default_tls_container_ref'] = tls;
  const sni = wanted.sni_container_refs;
  if (sni && !isSameSet(sni, now.sni_container_refs ?? [])) changes['sni_container_refs'] = sni;
  addTags(changes, wanted.tags, now.tags);
  return changesOrNone(changes);
}

export function poolChanges(wanted: PoolFields, now: Pool): object | undefined {
  const changes: Record<string, unknown> = {};
  if (wanted.lb_algorithm !== now.lb_algorithm) changes['lb_algorithm'] = wanted.lb_algorithm;
  if (wanted.session_persistence?.type !== now.session_persistence?.type) {
    changes['session_persistence'] = wanted.session_persistence ?? null;
  }
  addTags(changes, wanted.tags, now.tags);
  return changesOrNone(changes);
}

export function monitorChanges(wanted: HealthMonitorFields, now: HealthMonitor): object | undefined {
  const fields = ['delay', 'timeout', 'max_retries', 'max_retries_down', 'url_path', 'expected_codes'] as const;
  const differing = fields.filter((field) => wanted[field] !== undefined && wanted[field] !== now[field]);
  const changes: Record<string, unknown> = Object.fromEntries(differing.map((field) => [field, wanted[field]]));
  addTags(changes, wanted.tags, now.tags);
  return changesOrNone(changes);
}

/** Compared by address, port, subnet and monitor port; users may set other weights. */
export function membersDiffer(wanted: readonly MemberCreate[], now: readonly Member[]): boolean {
  const keyOf = ({ address, protocol_port, subnet_id, monitor_port }: MemberCreate | Member) =>
    `${address} ${protocol_port} ${subnet_id ?? ''} ${monitor_port ?? ''}`;
  if (!isSameSet(wanted.map(keyOf), now.map(keyOf))) return true;
  const weights = new Map(now.map((member) => [keyOf(member), member.weight ?? 1]));
  return wanted.some((member) => member.weight !== undefined && member.weight !== weights.get(keyOf(member)));
}

/** Keeps tags of others. */
function addTags(changes: Record<string, unknown>, wanted: readonly string[] = [], now: readonly string[]): void {
  if (wanted.every((tag) => now.includes(tag))) return;
  changes['tags'] = [...new Set([...now, ...wanted])];
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  const set = new Set(b);
  return new Set(a).size === set.size && a.every((each) => set.has(each));
}

function changesOrNone(changes: Record<string, unknown>): object | undefined {
  return Object.keys(changes).length === 0 ? undefined : changes;
}
