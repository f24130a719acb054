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
 * The body of a PUT for an object in a load balancer's tree; undefined if nothing differs. Only desired fields are
 * compared: users may set names, and Octavia sets other fields itself.
 */

const LISTENER_FIELDS = [
  'connection_limit',
  'timeout_client_data',
  'timeout_member_connect',
  'timeout_member_data',
  'timeout_tcp_inspect',
] as const;

export function listenerChanges(desired: ListenerFields, now: Listener): object | undefined {
  const changes: Record<string, unknown> = {};
  for (const field of LISTENER_FIELDS) {
    const value = desired[field];
    if (value !== undefined && value !== now[field]) changes[field] = value;
  }
  const ranges = desired.allowed_cidrs ?? [];
  if (!isSameSet(ranges, now.allowed_cidrs ?? [])) changes['allowed_cidrs'] = ranges.length === 0 ? null : ranges;
  const headers = desired.insert_headers;
  if (headers && !isDeepStrictEqual({ ...headers }, { ...now.insert_headers })) changes['insert_headers'] = headers;
  const tls = desired.default_tls_container_ref;
  if (tls !== undefined && tls !== now.default_tls_container_ref) changes['default_tls_container_ref'] = tls;
  const sni = desired.sni_container_refs;
  if (sni && !isSameSet(sni, now.sni_container_refs ?? [])) changes['sni_container_refs'] = sni;
  addTagChange(changes, desired.tags, now.tags);
  return undefinedIfEmpty(changes);
}

export function poolChanges(desired: PoolFields, now: Pool): object | undefined {
  const changes: Record<string, unknown> = {};
  if (desired.lb_algorithm !== now.lb_algorithm) changes['lb_algorithm'] = desired.lb_algorithm;
  if (desired.session_persistence?.type !== now.session_persistence?.type) {
    changes['session_persistence'] = desired.session_persistence ?? null;
  }
  addTagChange(changes, desired.tags, now.tags);
  return undefinedIfEmpty(changes);
}

export function monitorChanges(desired: HealthMonitorFields, now: HealthMonitor): object | undefined {
  const fields = ['delay', 'timeout', 'max_retries', 'max_retries_down', 'url_path', 'expected_codes'] as const;
  const changedFields = fields.filter((field) => desired[field] !== undefined && desired[field] !== now[field]);
  const changes: Record<string, unknown> = Object.fromEntries(changedFields.map((field) => [field, desired[field]]));
  addTagChange(changes, desired.tags, now.tags);
  return undefinedIfEmpty(changes);
}

/** Members are compared by address, port, subnet and monitor port; users may set other weights. */
export function membersDiffer(desired: readonly MemberCreate[], now: readonly Member[]): boolean {
  const keyOf = ({ address, protocol_port, subnet_id, monitor_port }: MemberCreate | Member) =>
    `${address} ${protocol_port} ${subnet_id ?? ''} ${monitor_port ?? ''}`;
  if (!isSameSet(desired.map(keyOf), now.map(keyOf))) return true;
  const weights = new Map(now.map((member) => [keyOf(member), member.weight ?? 1]));
  return desired.some((member) => member.weight !== undefined && member.weight !== weights.get(keyOf(member)));
}

/** Adds missing tags and keeps foreign tags. */
function addTagChange(changes: Record<string, unknown>, desired: readonly string[] = [], now: readonly string[]): void {
  if (desired.every((tag) => now.includes(tag))) return;
  changes['tags'] = [...new Set([...now, ...desired])];
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  const set = new Set(b);
  return new Set(a).size === set.size && a.every((each) => set.has(each));
}

function undefinedIfEmpty(changes: Record<string, unknown>): object | undefined {
  return Object.keys(changes).length === 0 ? undefined : changes;
}
