import type { Page } from 'playwright-core';

/** Named sets of server responses for pages. */
export const DATA = [
  /** No response at all. */
  'away',
  /** Only clusters. */
  'partly',
  /** No response yet. */
  'slow',
  'forbidden',
  /** 500. */
  'fault',
  /** Only empty lists. */
  'empty',
  /** Long names and words, and large numbers of objects. */
  'long',
  /** Malicious names and words. */
  'hostile',
] as const;
export type Data = (typeof DATA)[number];

export interface LongNames {
  /** The name that the server uses, and the one that the page gets. */
  readonly short: string;
  readonly long: string;
}

const KEY = 'test.answers';

/**
 * Makes the page's API respond as specified by `openWithData`, starting with the next load. Watches then send no
 * events, so the data stays; the session is still requested from the server.
 */
export async function prepareResponses(page: Page, names: LongNames): Promise<void> {
  await page.addInitScript(`(${REPLACE_FETCH})(${JSON.stringify(KEY)}, ${JSON.stringify(names)})`);
}

/** Loads the page at `url` with this data. */
export async function openWithData(page: Page, data: Data, url: string): Promise<void> {
  await page.evaluate(`sessionStorage.setItem(${JSON.stringify(KEY)}, ${JSON.stringify(data)})`);
  await page.goto(url);
}

/** Objects that a healthy cluster does not have, to show how pages handle them. */
const ADDITIONAL_DATA = `
  const OLD = '2026-01-01T00:00:00Z';
  const more = {
    configmaps: (namespace) => [{
      metadata: { name: 'cluster-ended', namespace, uid: 'ended', annotations: {
        'fairway.dev/cluster': namespace + '/ended', 'fairway.dev/cluster-ended': OLD, 'fairway.dev/project-id': 'f'.repeat(32),
      } },
    }],
    cloudcredentials: (namespace) => ['first', 'second'].map((name) => ({
      metadata: { name, namespace: namespace ?? 'team', uid: name },
      spec: { cloud: 'simulated', reclaimPolicy: 'Retain', secretRef: { name } },
      status: {
        userName: 'dana', type: 'ApplicationCredential', credentialID: name, expiresAt: OLD,
        conditions: [{ type: 'Ready', status: 'False', reason: 'CredentialInvalid', message: 'Keystone answered 401', lastTransitionTime: OLD }],
      },
    })),
  };
  const BALANCER = {
    id: 'balancer', name: 'kube_service_web', owner: { kind: 'Service', namespace: 'default', name: 'web' }, address: '10.0.0.9', floatingAddress: '203.0.113.9',
    provider: 'amphora', provisioningStatus: 'ERROR', operatingStatus: 'DEGRADED', isShared: false, createdAt: OLD,
    listeners: [{ protocol: 'TERMINATED_HTTPS', port: 443, members: 2, operatingStatus: 'DEGRADED' }],
  };
  const VOLUME = {
    id: 'volume', name: 'pvc-volume', owner: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data' }, sizeGiB: 3, type: 'classic', zone: 'nova',
    status: 'in-use', machines: [], elsewhere: 1, createdAt: OLD,
  };
  const added = (object) => {
    const { spec, status } = object;
    // An unhealthy machine.
    if (spec?.nodePoolName !== undefined) {
      const conditions = status?.conditions?.map((each) => (each.type === 'Ready' ? { ...each, status: 'False', reason: 'ServerFailed', message: 'it has failed' } : each));
      return { ...object, status: { ...status, conditions } };
    }
    if (status?.addons !== undefined) {
      return { ...object, status: { ...status, addons: status.addons.map((each, index) => (index === 0 ? { ...each, state: 'Modified', message: 'changed by hand' } : each)) } };
    }
    if (spec?.minor !== undefined) {
      const failed = [{ namespace: 'team', name: 'shop', uid: 'shop', since: OLD, message: 'still runs an older patch' }];
      const rollout = { version: spec.minor + '.9', state: 'Halted', updated: 1, total: 3, waiting: 1, moving: [], failed };
      return { ...object, status: { ...status, rollout } };
    }
    return object;
  };
`;

const REPLACE_FETCH = `(key, { short, long }) => {
  const data = sessionStorage.getItem(key);
  if (data === null) return;
  ${ADDITIONAL_DATA}
  const isMuch = data === 'long' || data === 'hostile';
  const LONG = 'Nova answered 403 to POST /servers: Quota exceeded for cores, ram: requested 16, but already used 192 of 200. The volume type ' + 'x'.repeat(120) + ' does not exist. ';
  const EVIL = '<img src=x onerror="globalThis.isHarmed=true"> \\u202etxt.exe\\u0007\\u0000\\u200b \\u05d3\\u05e0\\u05d4 ';
  const MESSAGE = data === 'long' ? LONG : EVIL + 'x'.repeat(10_000);
  const NAME = EVIL + 'x'.repeat(255 - EVIL.length);
  const EVENTS = data === 'long' ? 100 : 3;
  // Fields in which users and clouds can write text of any length.
  const MESSAGES = new Set(['message', 'description']);
  const NAMES = new Set(['displayName', 'userName', 'zone', 'flavorName', 'os', 'region', 'provider', 'userAgent', 'projectName', 'manager', 'domain', 'user']);
  // Events, each in a different minute.
  const many = (items) => {
    if (items[0]?.involvedObject === undefined) return items;
    return Array.from({ length: Math.max(EVENTS, items.length) }, (_, index) => {
      const event = items[index % items.length];
      const lastTimestamp = new Date(Date.UTC(2026, 0, 1, 0, index * 10)).toISOString();
      const metadata = { ...event.metadata, name: 'event-' + index, uid: 'event-' + index };
      return { ...event, metadata, type: index % 2 ? 'Warning' : 'Normal', lastTimestamp };
    });
  };
  const changedText = (value, name, hasId) => {
    if (MESSAGES.has(name)) return MESSAGE + value;
    // Names of cloud objects may contain anything; names of Kubernetes objects are restricted.
    const isName = NAMES.has(name) || (name === 'name' && hasId) || name === 'zones';
    return data === 'hostile' && isName ? NAME + value : value;
  };
  const changed = (value, name, hasId) => {
    if (typeof value === 'string') return changedText(value, name, hasId);
    if (Array.isArray(value)) return many(value).map((each) => changed(each, name));
    if (typeof value !== 'object' || value === null) return value;
    const isInCloud = 'id' in value;
    return Object.fromEntries(Object.entries(added(value)).map(([each, of]) => [each, changed(of, each, isInCloud)]));
  };
  const filled = (path, answer) => {
    const kind = path.split('?')[0].split('/').at(-1);
    const namespace = /namespaces\\/([^/]+)/.exec(path)?.[1];
    if (Array.isArray(answer.items) && answer.items.length === 0 && more[kind] !== undefined) return { ...answer, items: more[kind](namespace) };
    if (kind !== 'cloudresources' || answer.status === undefined) return answer;
    const unknown = [{ kind: 'FloatingIPs', message: 'Neutron answered 503' }];
    return { ...answer, status: { ...answer.status, loadBalancers: [BALANCER], volumes: [VOLUME], moreVolumes: 7, unknown } };
  };
  const FAILED = {
    forbidden: [403, 'Forbidden', 'User "demo" cannot list this'],
    fault: [500, 'InternalError', 'the storage is gone'],
  };
  const real = globalThis.fetch;
  globalThis.fetch = async (path, options = {}) => {
    const never = () => new Promise((_, reject) => options.signal?.addEventListener('abort', () => reject(options.signal.reason)));
    const isApi = !path.endsWith('?limit=1') && /^\\/(?:apis?|metrics)(?:\\/|$)/.test(path);
    const isWatch = path === '/console/watches';
    if (data === 'hostile' && path.startsWith('/console/session') && !path.endsWith('/delegation')) {
      const response = await real(path, options);
      return response.ok ? Response.json(changed(await response.json()), { headers: response.headers }) : response;
    }
    if (!isApi && !isWatch) return real(path, options);
    if (data === 'slow') return never();
    const isAnswered = data === 'partly' && /\\/clusters(?:\\?|$)/.test(path);
    if ((data === 'away' || data === 'partly') && !isAnswered) throw new TypeError('Failed to fetch');
    if (isWatch) return never();
    if (FAILED[data] !== undefined) {
      const [status, reason, message] = FAILED[data];
      return Response.json({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, reason, message }, { status });
    }
    const body = options.body?.replaceAll(long, short);
    const response = await real(path.replaceAll(long, short), { ...options, ...(body !== undefined && { body }) });
    const text = await response.text();
    const { status, headers } = response;
    if (!text.startsWith('{')) return new Response(text, { status, headers });
    const answer = JSON.parse(data === 'long' ? text.replaceAll(short, long) : text);
    const shown = isMuch ? changed(filled(path, answer)) : data === 'empty' && 'items' in answer ? { ...answer, items: [] } : answer;
    return new Response(JSON.stringify(shown), { status, headers });
  };
}`;
