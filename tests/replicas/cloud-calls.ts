import type { Cloud } from '@fairway/simulator/cloud';

/** A call by a replica that changes something in the cloud. */
export interface CloudCall {
  /** When the call arrived, by this machine's clock. */
  readonly atMs: number;
  readonly replica: string;
  readonly clusterUid: string | undefined;
  readonly what: string;
}

/** The user agent of `fairway serve`. */
const REPLICA = /^fairway \((.+)\)$/;
const CLUSTER_TAG = /(?:fairway-cluster-|Fairway cluster )([0-9a-f-]{36})/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Records from now on which replica changes what in which cluster. */
export function recordCloudCalls(cloud: Cloud): {
  readonly cloudCalls: readonly CloudCall[];
  readonly onCloudCall: (listener: (act: CloudCall) => void) => () => void;
} {
  const cloudCalls: CloudCall[] = [];
  const listeners = new Set<(act: CloudCall) => void>();
  cloud.calls.onReceived(({ atMs, userAgent, service, method, path, body }) => {
    const replica = REPLICA.exec(userAgent)?.[1];
    const isLogin = service === 'identity';
    if (method === 'GET' || isLogin || replica === undefined) return;
    const text = `${path} ${JSON.stringify(body)}`;
    const act = { atMs, replica, clusterUid: clusterOf(cloud, text), what: `${method} ${path}` };
    cloudCalls.push(act);
    for (const listener of listeners) listener(act);
  });
  return {
    cloudCalls,
    onCloudCall(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The cluster identified by the tag in a call, or by the tag of the resource that the call names. */
function clusterOf(cloud: Cloud, text: string): string | undefined {
  const marked = CLUSTER_TAG.exec(text)?.[1];
  if (marked !== undefined) return marked;
  const ids = new Set(text.match(UUID));
  const rows = Object.values(cloud.snapshot() as Readonly<Record<string, readonly { readonly id?: string }[]>>).flat();
  for (const row of rows) {
    if (row.id === undefined || !ids.has(row.id)) continue;
    const owner = CLUSTER_TAG.exec(JSON.stringify(row))?.[1];
    if (owner !== undefined) return owner;
  }
  return undefined;
}
