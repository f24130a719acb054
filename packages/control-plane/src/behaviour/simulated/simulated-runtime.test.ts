import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import type { Store } from '@fairway/apiserver/store/store';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { LocalServers } from '@fairway/kube/client/local-servers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClusterPki, trustBundle } from '../../pki/cluster-pki.ts';
import type { ControlPlaneSpec, ControlPlaneState } from '../../runtime.ts';
import type {
  ClusterStores,
  HollowControlPlane,
  HollowControlPlaneFactory,
  HollowControlPlaneOptions,
  ServerTls,
} from '../../simulated/hollow-contract.ts';
import { SimulatedRuntime } from '../../simulated/simulated-runtime.ts';

// TLS validates certificates against real time, so the clock is set to real time.
const clock = new FakeClock(Date.now());
const pki = await createClusterPki(clock);
const spec: ControlPlaneSpec = {
  cluster: { uid: 'uid-1', name: 'demo', namespace: 'team' },
  version: '1.35.8',
  pki,
  podCIDR: '10.2.0.0/16',
  serviceCIDR: '10.3.0.0/16',
  apiServer: { admissionPlugins: { enabled: [], disabled: [] } },
  topology: { topology: 'SingleZone', replicas: 1 },
  etcdQuotaBytes: 10 * 2 ** 20,
  dnsNames: [],
  ipAddresses: [],
  nodeNetworks: [],
  nodeAddresses: [],
  endpoint: undefined,
};

/** Stores that outlive a runtime, as a database would. */
class PersistentStores implements ClusterStores {
  readonly held = new Map<string, MemoryStore>();

  open(uid: string): Promise<Store> {
    const store = this.held.get(uid) ?? new MemoryStore(uid);
    this.held.set(uid, store);
    // The data outlives the process that closes the store.
    return Promise.resolve({
      revision: store.revision,
      buckets: store.buckets,
      get: (bucket, key) => store.get(bucket, key),
      list: (bucket, prefix) => store.list(bucket, prefix),
      getDurable: (bucket, key) => store.getDurable(bucket, key),
      listDurable: (bucket, prefix) => store.listDurable(bucket, prefix),
      count: (bucket) => store.count(bucket),
      chars: (bucket) => store.chars(bucket),
      write: (write) => store.write(write),
      settled: () => store.settled(),
      subscribe: (listener) => store.subscribe(listener),
      follow: (listener) => store.follow(listener),
      close: () => Promise.resolve(),
    });
  }

  drop(uid: string): Promise<void> {
    this.held.delete(uid);
    return Promise.resolve();
  }

  list(): Promise<readonly string[]> {
    return Promise.resolve([...this.held.keys()]);
  }
}

/** A minimal API server: TLS, and a response that contains its version. */
function tinyHollow({ version }: Pick<HollowControlPlaneOptions, 'version'>): HollowControlPlane {
  return {
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    server: {
      connect: () => ({
        request: () =>
          Promise.resolve({ status: 200, headers: {}, text: () => Promise.resolve(version), lines: never }),
        close: () => {},
      }),
      async listen({ host, port, tls }) {
        const server = createServer(contextOf(tls), (_, response) => response.end(version));
        await new Promise<void>((resolve, reject) => {
          server.once('error', reject);
          server.listen(port, host, resolve);
        });
        return {
          port: (server.address() as AddressInfo).port,
          setTls: (next) => server.setSecureContext(contextOf(next)),
          close: () =>
            new Promise((resolve) => {
              server.close(() => resolve());
              server.closeAllConnections();
            }),
        };
      },
    },
  };
}

function never(): never {
  throw new Error('it has no watches');
}

function contextOf({ cert, key, clientCa }: ServerTls) {
  return { cert, key, ca: clientCa };
}

const runtimes: SimulatedRuntime[] = [];

function aRuntime(
  stores: ClusterStores,
  createHollow: HollowControlPlaneFactory = tinyHollow,
  locals?: LocalServers,
  auditFolder = '/nowhere',
): SimulatedRuntime {
  const shared = { clock, random: () => 0.5, log: silentLogger };
  const runtime = new SimulatedRuntime({ auditFolder, createHollow, stores, locals, ...shared });
  runtimes.push(runtime);
  return runtime;
}

afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()));
});

/** Calls `ensure`, and again on each callback, until no step is in progress. */
async function settle(runtime: SimulatedRuntime, desired: ControlPlaneSpec): Promise<ControlPlaneState> {
  for (;;) {
    const changed = nextChange(runtime);
    const state = await runtime.ensure(desired);
    if (state.phase === 'Running' || state.phase === 'Failed') return state;
    await changed;
  }
}

function nextChange(runtime: SimulatedRuntime): Promise<string> {
  return new Promise((resolve) => {
    const stop = runtime.onChange((uid) => {
      stop();
      resolve(uid);
    });
  });
}

function fetchVersion(port: number, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, ca, agent: false }, (response) => {
      response.setEncoding('utf8');
      response.on('data', resolve);
    });
    call.on('error', reject);
    call.end();
  });
}

describe('audit events', () => {
  const requestedSpec: ControlPlaneSpec = {
    ...spec,
    apiServer: { ...spec.apiServer, audit: { level: 'Metadata', reads: false } },
  };
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairway-simulated-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** An API server that receives a request as soon as it is running. */
  function busyHollow(options: HollowControlPlaneOptions): HollowControlPlane {
    const { auditor } = options;
    const trail = auditor?.begin({
      auditId: 'one',
      method: 'POST',
      path: '/api/v1/namespaces/shop/pods',
      query: new URLSearchParams(),
      headers: {},
      peer: undefined,
    });
    trail?.setUser({ username: 'alice', groups: ['system:authenticated'] });
    if (trail) auditor?.end(trail, { status: 201 });
    return tinyHollow(options);
  }

  async function writtenFiles(runtime: SimulatedRuntime): Promise<readonly string[]> {
    const place = await runtime.auditLog('uid-1');
    return place === undefined ? [] : readdir(place.folder).catch(() => []);
  }

  it('are written for a cluster once it requests them, and deleted with it', async () => {
    const runtime = aRuntime(new PersistentStores(), busyHollow, undefined, folder);
    expect(await runtime.auditLog('uid-1')).toBeUndefined();
    await settle(runtime, spec);
    expect(await writtenFiles(runtime)).toEqual([]);

    await settle(runtime, requestedSpec);
    await settle(runtime, spec);

    expect(await writtenFiles(runtime)).toEqual(['tenant-audit.log']);
    const log = await readFile(join(folder, 'uid-1/tenant-audit.log'), 'utf8');
    expect(
      log
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([{ auditID: 'one', level: 'Metadata', user: { username: 'alice' } }]);
    while (!(await runtime.remove('uid-1')));
    expect(await readdir(folder)).toEqual([]);
  });

  it('include only the events of the new cluster after a reset', async () => {
    const runtime = aRuntime(new PersistentStores(), busyHollow, undefined, folder);
    await settle(runtime, requestedSpec);
    while (!(await runtime.wipe('uid-1')));

    expect(await writtenFiles(runtime)).toEqual([]);
  });
});

describe('SimulatedRuntime', () => {
  it('reports its start, calls back, and uses the cluster’s CA', async () => {
    const runtime = aRuntime(new PersistentStores());
    const changed = nextChange(runtime);
    expect(await runtime.ensure(spec)).toMatchObject({ phase: 'Starting', ready: false, reason: 'Provisioning' });
    expect(await changed).toBe('uid-1');
    const state = await runtime.ensure(spec);
    expect(state).toMatchObject({ phase: 'Running', ready: true, version: '1.35.8', endpoint: { host: '127.0.0.1' } });
    const port = state.endpoint?.port ?? 0;
    expect(await fetchVersion(port, pki.cluster.active.certificatePem)).toBe('1.35.8');
    await expect(fetchVersion(port, pki.frontProxy.active.certificatePem)).rejects.toThrow('self-signed certificate');
  });

  it('does nothing if nothing has changed', async () => {
    let creations = 0;
    const runtime = aRuntime(new PersistentStores(), (options) => {
      creations++;
      return tinyHollow(options);
    });
    await settle(runtime, spec);
    await Promise.all([runtime.ensure(spec), runtime.ensure(spec), runtime.ensure(structuredCloneOf(spec))]);
    expect(creations).toBe(1);
  });

  it('keeps its port across a restart of the process, whether or not the port is passed in', async () => {
    const stores = new PersistentStores();
    const first = aRuntime(stores);
    const { endpoint } = await settle(first, spec);
    await first.close();
    expect((await settle(aRuntime(stores), spec)).endpoint).toEqual(endpoint);
  });

  it('hibernates, and wakes up at the same endpoint with its data', async () => {
    const stores = new PersistentStores();
    const runtime = aRuntime(stores);
    const { endpoint } = await settle(runtime, spec);

    expect(await runtime.hibernate('uid-1')).toBe(true);
    expect(await runtime.hibernate('uid-1')).toBe(true);
    await expect(fetchVersion(endpoint?.port ?? 0, pki.cluster.active.certificatePem)).rejects.toThrow('ECONNREFUSED');
    expect(await runtime.list()).toEqual(['uid-1']);
    expect(runtime.usage()).toMatchObject({ managed: 0 });

    expect((await settle(runtime, spec)).endpoint).toEqual(endpoint);
    expect(await fetchVersion(endpoint?.port ?? 0, pki.cluster.active.certificatePem)).toBe('1.35.8');
  });

  it('restarts with a new version on the same port', async () => {
    const runtime = aRuntime(new PersistentStores());
    const { endpoint } = await settle(runtime, spec);
    const upgraded = { ...spec, version: '1.36.4', endpoint };
    expect(await runtime.ensure(upgraded)).toMatchObject({ phase: 'Updating', reason: 'Updating' });
    expect(await settle(runtime, upgraded)).toMatchObject({ phase: 'Running', version: '1.36.4', endpoint });
    expect(await fetchVersion(endpoint?.port ?? 0, pki.cluster.active.certificatePem)).toBe('1.36.4');
  });

  it('reviews tokens with the current reviewer, and restarts only when one is added or removed', async () => {
    const started: HollowControlPlaneOptions[] = [];
    const createHollow = (options: HollowControlPlaneOptions) => {
      started.push(options);
      return tinyHollow(options);
    };
    const runtime = aRuntime(new PersistentStores(), createHollow);
    const user = (username: string) => ({ ...spec, reviewToken: () => Promise.resolve({ username, groups: [] }) });
    const keystone = { projects: ['p1'] };
    await settle(runtime, user('alice'));
    await settle(runtime, { ...user('bob'), apiServer: { ...spec.apiServer, keystone } });

    expect(started.length).toBe(1);
    expect(await started[0]?.reviewToken?.('token')).toMatchObject({ username: 'bob' });

    await settle(runtime, spec);

    expect(started.map(({ reviewToken }) => reviewToken !== undefined)).toEqual([true, false]);
    expect(await started[0]?.reviewToken?.('token')).toBeUndefined();
  });

  it('reports why it does not start, retries with backoff, and recovers', async () => {
    let broken = true;
    let attempts = 0;
    const runtime = aRuntime(new PersistentStores(), (options) => {
      attempts++;
      if (broken) throw new Error('disk full');
      return tinyHollow(options);
    });
    expect(await settle(runtime, spec)).toMatchObject({ phase: 'Failed', ready: false, reason: 'ControlPlaneFailed' });
    expect((await runtime.ensure(spec)).message).toContain('disk full');
    expect(attempts, 'not tried again immediately').toBe(1);

    const called = nextChange(runtime);
    await clock.advance(1000);
    await called;
    await settle(runtime, spec);
    expect(attempts).toBe(2);
    await clock.advance(1000);
    await runtime.ensure(spec);
    expect(attempts, 'twice as long the second time').toBe(2);

    broken = false;
    await clock.advance(1000);
    expect(await settle(runtime, spec)).toMatchObject({ phase: 'Running' });
  });

  it('tries a different spec immediately', async () => {
    const runtime = aRuntime(new PersistentStores(), (options) => {
      if (options.version === '1.36.4') throw new Error('no such version');
      return tinyHollow(options);
    });
    expect(await settle(runtime, { ...spec, version: '1.36.4' })).toMatchObject({ phase: 'Failed' });
    expect(await settle(runtime, spec)).toMatchObject({ phase: 'Running' });
  });

  it('removes everything, including clusters known only from the database', async () => {
    const stores = new PersistentStores();
    const first = aRuntime(stores);
    const { endpoint } = await settle(first, spec);
    await first.close();

    const second = aRuntime(stores);
    expect(await second.list()).toEqual(['uid-1']);
    expect(await second.remove('uid-1')).toBe(true);
    expect(await second.list()).toEqual([]);
    expect(await second.remove('uid-1'), 'once more').toBe(true);
    await expect(fetchVersion(endpoint?.port ?? 0, '')).rejects.toThrow('ECONNREFUSED');
  });

  it('wipes its database, and starts again at the same endpoint', async () => {
    const stores = new PersistentStores();
    const runtime = aRuntime(stores);
    const { endpoint } = await settle(runtime, spec);
    expect(await runtime.wipe('uid-1')).toBe(true);
    expect(await stores.list()).toEqual([]);
    await expect(fetchVersion(endpoint?.port ?? 0, '')).rejects.toThrow('ECONNREFUSED');

    const again = await settle(runtime, { ...spec, endpoint });
    expect(again.endpoint).toEqual(endpoint);
    await runtime.close();
  });

  it('completes a pending start before removal', async () => {
    const runtime = aRuntime(new PersistentStores());
    const changed = nextChange(runtime);
    await runtime.ensure(spec);
    expect(await runtime.remove('uid-1')).toBe(false);
    expect(await runtime.ensure(spec)).toMatchObject({ ready: false, reason: 'Deleting' });
    await changed;
    expect(await runtime.remove('uid-1')).toBe(true);
  });

  it('is available to clients in its process while it runs, with its current certificate', async () => {
    const locals = new LocalServers();
    const runtime = aRuntime(new PersistentStores(), tinyHollow, locals);
    const { endpoint } = await settle(runtime, spec);
    const server = `https://127.0.0.1:${endpoint?.port}`;
    const client = locals.transport({ server, certificateAuthority: trustBundle(pki.cluster), clock });
    const fetchVersion = async () => (await client.request({ method: 'GET', path: '/version' })).text();
    expect(await fetchVersion()).toBe('1.35.8');
    const first = locals.at(`127.0.0.1 ${endpoint?.port}`)?.certificate;

    await clock.advance(250 * 86_400_000);
    await runtime.ensure(spec);
    expect(locals.at(`127.0.0.1 ${endpoint?.port}`)?.certificate).not.toBe(first);
    expect(await fetchVersion()).toBe('1.35.8');

    await runtime.release('uid-1');
    await expect(fetchVersion()).rejects.toThrow('ECONNREFUSED');
    client.close();
  });

  it('replaces a certificate before it expires', async () => {
    let shown: string[] = [];
    const runtime = aRuntime(new PersistentStores(), (options) => {
      const hollow = tinyHollow(options);
      return {
        ...hollow,
        server: {
          ...hollow.server,
          async listen(at) {
            const listener = await hollow.server.listen(at);
            shown = [at.tls.cert];
            return { ...listener, setTls: (tls) => shown.push(tls.cert) };
          },
        },
      };
    });
    await settle(runtime, spec);
    const { certificatesEndMs: firstMs = 0 } = await runtime.ensure(spec);
    expect(shown).toHaveLength(1);
    await clock.advance(250 * 86_400_000);
    const { certificatesEndMs: secondMs = 0 } = await runtime.ensure(spec);
    expect(shown).toHaveLength(2);
    expect(firstMs).toBeGreaterThan(clock.now());
    expect(Math.round((secondMs - firstMs) / 86_400_000)).toBe(250);
  });
});

/** An equal copy, like the one that a caller creates on every reconcile. */
function structuredCloneOf(original: ControlPlaneSpec): ControlPlaneSpec {
  return { ...original, apiServer: structuredClone(original.apiServer) };
}

describe('unsupported settings of a simulated control plane', () => {
  it('are reported for the API server’s allowed CIDRs', async () => {
    const stores = new PersistentStores();
    const runtime = aRuntime(stores);
    const apiServer = { ...spec.apiServer, allowedCIDRs: ['192.0.2.0/24'] };

    const restricted = await runtime.ensure({ ...spec, apiServer });
    const empty = await runtime.ensure({ ...spec, apiServer: { ...apiServer, allowedCIDRs: [] } });
    expect(restricted.settingsProblem).toContain(
      'spec.apiServer.allowedCIDRs: simulated control planes do not enforce it',
    );
    expect(restricted.settingsReason).toBe('SettingsNotEnforced');
    expect(empty.settingsProblem).toBeUndefined();
    expect(Object.values(await runtime.unenforcedFields())).toHaveLength(4);
    for (const why of Object.values(await runtime.unenforcedFields())) expect(why).toContain('--control-plane process');
  });

  it('are reported for an OIDC issuer together with other settings', async () => {
    const runtime = aRuntime(new PersistentStores());
    const oidc = {
      issuerURL: 'https://login.example.org',
      clientID: 'kubernetes',
      usernameClaim: 'sub',
      signingAlgorithms: ['RS256' as const],
    };

    const { settingsProblem, settingsReason } = await runtime.ensure({
      ...spec,
      apiServer: { ...spec.apiServer, oidc },
    });
    expect(settingsReason).toBe('SettingsNotEnforced');
    expect(settingsProblem).toMatch(
      /^spec\.apiServer\.oidc: simulated control planes do not accept tokens of OIDC issuers/,
    );
    const both = await runtime.ensure({
      ...spec,
      apiServer: { ...spec.apiServer, oidc, allowedCIDRs: ['192.0.2.0/24'] },
    });
    expect(both.settingsProblem).toMatch(/spec\.apiServer\.allowedCIDRs: .* spec\.apiServer\.oidc: /);
  });
});
