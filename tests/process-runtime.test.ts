import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import { COMPONENT_DEPENDENCIES, COMPONENTS } from '@fairway/control-plane/process/components';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import type { ResourceClient, WatchOptions } from '@fairway/kube/client/resource-client';
import type { ConfigMap, Deployment, Node, Pod, Secret, ServiceAccount } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, Deployments, Nodes, Pods, Secrets, ServiceAccounts } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { areAllKnown, kill, onlySubfolder, pidsOf, processesIn } from './process-runtime/local-processes.ts';
import { CLUSTER_UID, isRunning, ProcessCluster } from './process-runtime/process-cluster.ts';
import { type TestRelease, testReleases } from './process-runtime/releases.ts';
import { clientOf } from './session/client-of.ts';
import { RunningFairway, run } from './session/running-fairway.ts';

const { offered, old } = await testReleases();
const offeredTitle = offered
  ? `with Kubernetes ${offered.described}`
  : '(skipped: no binaries of 1.31 or later are found)';
const oldTitle = old ? `with Kubernetes ${old.described}` : '(skipped: testbed/kubernetes is not built)';

/** Resolves when an object in the default namespace exists and matches. */
async function first<T extends KubeObject>(
  resource: ResourceClient<T>,
  selection: Pick<WatchOptions, 'fieldSelector'>,
  predicate: (object: T) => boolean,
): Promise<void> {
  for await (const { type, object } of resource.watch({ namespace: 'default', ...selection })) {
    if (type !== 'BOOKMARK' && predicate(object)) return;
  }
  throw new Error('the server has ended the watch');
}

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'fairway-processes-'));
});
afterAll(async () => {
  await rm(parent, { recursive: true, force: true });
});

describe.skipIf(offered === undefined)(`a process-based control plane ${offeredTitle}`, () => {
  controlPlaneCases(offered);
});
describe.skipIf(old === undefined)(`a process-based control plane ${oldTitle}`, () => {
  controlPlaneCases(old);
});

function controlPlaneCases(release: TestRelease | undefined): void {
  const minor = release?.minor ?? 0;
  let cluster: ProcessCluster;
  let client: KubeClient;

  /** Pods cannot be created without this account; the controller manager creates it once it has started. */
  const defaultServiceAccount = () =>
    first(
      client.resource<ServiceAccount>(ServiceAccounts),
      { fieldSelector: 'metadata.name=default' },
      // Before 1.24 the account has its own token.
      ({ secrets = [] }) => minor >= 24 || secrets.length > 0,
    );
  const configMap = () => client.resource<ConfigMap>(ConfigMaps).get('kept', { namespace: 'default' });

  beforeAll(async () => {
    const own = await mkdtemp(join(parent, 'release-'));
    cluster = await ProcessCluster.open(own, release?.assets(own) ?? '', release?.version ?? '');
  });
  afterAll(async () => {
    client?.close();
    await cluster?.runtime.close();
  });

  test('starts, reports its endpoint, and serves the version', async () => {
    const first = await cluster.runtime.ensure(cluster.spec);
    const state = await cluster.waitForState(isRunning);
    client = await cluster.connect(state);

    expect(first).toMatchObject({ phase: 'Starting', ready: false, reason: 'Provisioning' });
    expect(state).toMatchObject({ ready: true, version: cluster.spec.version, endpoint: first.endpoint });
    expect(state.etcdUsageBytes).toBeGreaterThan(0);
    expect(await client.version()).toMatchObject({ gitVersion: `v${cluster.spec.version}` });
  });

  test('encrypts Secrets, and all objects since 1.27, and keeps the contents of Secrets out of the audit log', async () => {
    const data = (text: string) => ({ value: Buffer.from(text).toString('base64') });
    await client.resource<ConfigMap>(ConfigMaps).create({
      metadata: { name: 'kept', namespace: 'default' },
      data: { value: 'plain-in-a-config-map' },
    });
    await client.resource<Secret>(Secrets).create({
      metadata: { name: 'hidden', namespace: 'default' },
      data: data('plain-in-a-secret'),
    });

    const log = join(cluster.folder, 'etcd/member/wal');
    const written = Buffer.concat(readdirSync(log).map((name) => readFileSync(join(log, name))));
    expect(written.includes('plain-in-a-config-map')).toBe(minor < 27);
    expect(written.includes('plain-in-a-secret')).toBe(false);
    const audit = readFileSync(join(cluster.folder, 'logs/audit.log'), 'utf8');
    expect(audit).toMatch(/"verb":"create".*"resource":"secrets".*"name":"hidden"/);
    expect(audit).not.toContain(data('plain-in-a-secret').value);
  });

  test.each(['etcd', 'kube-apiserver', 'kube-controller-manager'] as const)(
    'restarts %s when it is killed',
    async (component) => {
      await cluster.waitForState((state) => isRunning(state) && areAllKnown(pidsOf(cluster.folder)));
      const before = pidsOf(cluster.folder);
      kill(before[component]);

      await cluster.waitForState((state) => {
        const pid = pidsOf(cluster.folder)[component];
        return isRunning(state) && pid !== undefined && pid !== before[component];
      });

      // Programs that depend on the killed one may exit as well, such as a controller manager while it is starting.
      const after = pidsOf(cluster.folder);
      for (const dependency of COMPONENT_DEPENDENCIES[component]) expect(after[dependency]).toBe(before[dependency]);
      expect((await configMap()).data).toEqual({ value: 'plain-in-a-config-map' });
    },
  );

  test('applies changed settings of its API server without losing data', async () => {
    const imagePullPolicy = async () => {
      const pod = {
        metadata: { name: 'p', namespace: 'default' },
        spec: { containers: [{ name: 'c', image: 'i:1' }] },
      };
      const created = await client.resource<Pod>(Pods).create(pod, { dryRun: true });
      return created.spec?.containers[0]?.imagePullPolicy;
    };
    const { endpoint } = await cluster.waitForState(isRunning);
    await defaultServiceAccount();
    expect(await imagePullPolicy()).toBe('Always');

    cluster.spec = {
      ...cluster.spec,
      apiServer: { admissionPlugins: { ...cluster.spec.apiServer.admissionPlugins, disabled: ['AlwaysPullImages'] } },
    };
    expect((await cluster.runtime.ensure(cluster.spec)).phase).toBe('Updating');
    const state = await cluster.waitForState(isRunning);

    expect(state.endpoint).toEqual(endpoint);
    expect(await imagePullPolicy()).toBe('IfNotPresent');
    expect((await configMap()).data).toEqual({ value: 'plain-in-a-config-map' });
  });

  test.for([['groups'], ['groups', 'roles']])(
    'trusts a token issuer with groups in %j (before 1.34, reports why it does not)',
    async (groupsClaims) => {
      const oidc = {
        issuerURL: 'https://issuer.invalid/realm',
        clientID: 'kubernetes',
        usernameClaim: 'sub',
        groupsClaims,
        groupsPrefix: 'oidc:',
        requiredClaims: { hd: 'example.org' },
        signingAlgorithms: ['ES256' as const],
        certificateAuthority: trustBundle(cluster.spec.pki.cluster),
      };
      cluster.spec = { ...cluster.spec, apiServer: { ...cluster.spec.apiServer, oidc } };

      const { settingsProblem } = await cluster.waitForState(isRunning);
      expect(settingsProblem ?? 'none').toMatch(minor < 34 ? /upgrade to 1\.34/ : /^none$/);
      expect((await configMap()).data).toEqual({ value: 'plain-in-a-config-map' });
    },
  );

  test('stops gracefully with Fairway, and restarts with its data at the same endpoint', async () => {
    const { endpoint } = await cluster.waitForState(isRunning);

    await cluster.runtime.close();
    expect(processesIn(cluster.folder)).toEqual([]);
    cluster.runtime = cluster.openRuntime();
    const state = await cluster.waitForState(isRunning);

    expect(state.endpoint).toEqual(endpoint);
    expect((await configMap()).data).toEqual({ value: 'plain-in-a-config-map' });
  });

  test('hibernates without a process, even under another Fairway, and wakes at the same endpoint with its data', async () => {
    const { endpoint } = await cluster.waitForState(isRunning);
    const waitForHibernation = async () => {
      for (;;) {
        const changed = Promise.withResolvers<void>();
        const unsubscribe = cluster.runtime.onChange(() => changed.resolve());
        const isHibernated = await cluster.runtime.hibernate(CLUSTER_UID);
        if (!isHibernated) await changed.promise;
        unsubscribe();
        if (isHibernated) return;
      }
    };

    await waitForHibernation();
    expect(processesIn(cluster.folder)).toEqual([]);
    await cluster.runtime.detach();
    cluster.runtime = cluster.openRuntime();
    await waitForHibernation();
    expect(processesIn(cluster.folder)).toEqual([]);
    const state = await cluster.waitForState(isRunning);

    expect(state.endpoint).toEqual(endpoint);
    expect((await configMap()).data).toEqual({ value: 'plain-in-a-config-map' });
  });

  test('reports what is missing if there are no binaries for a version', async () => {
    const state = await cluster.runtime.ensure({
      ...cluster.spec,
      cluster: { ...cluster.spec.cluster, uid: 'uid-2' },
      version: '1.7.0',
    });

    expect(state).toMatchObject({ phase: 'Failed', ready: false, message: expect.stringContaining('none of 1.7.0') });
  });

  test('leaves nothing behind when it is removed', async () => {
    const removed = Promise.withResolvers<void>();
    cluster.runtime.onChange((uid) => {
      if (uid === CLUSTER_UID && !existsSync(cluster.folder)) removed.resolve();
    });

    expect(await cluster.runtime.remove(CLUSTER_UID)).toBe(false);
    await removed.promise;

    expect(await cluster.runtime.remove(CLUSTER_UID)).toBe(true);
    expect(await cluster.runtime.list()).not.toContain(CLUSTER_UID);
    expect(processesIn(cluster.folder)).toEqual([]);
  });
}

describe.skipIf(offered === undefined)(`fairway up --control-plane process ${offeredTitle}`, () => {
  let home: string;
  let fairway: RunningFairway;
  let planes: string;

  const cli = (...args: readonly string[]) => run('npx', ['fairway', ...args], { KUBECONFIG: fairway.kubeconfig });
  const up = () => RunningFairway.start(home, '--listen', '127.0.0.1:0', '--control-plane', 'process');

  beforeAll(async () => {
    home = join(parent, 'home');
    planes = join(home, 'control-planes');
    fairway = await up();
    // The available release, even if it has since reached its end of life.
    const api = await clientOf(fairway.kubeconfig);
    const value = { spec: { phaseOverride: 'Supported' } };
    await api.resource(kubernetesReleases).patch(`1.${offered?.minor}`, { type: 'merge', value });
    api.close();
  });
  afterAll(async () => {
    await fairway?.stop();
  });

  test('joins hollow nodes to a real control plane, and runs pods', async () => {
    const created = await cli('cluster', 'create', 'demo', '--flavor', 'b3-8', '--nodes', '2');
    expect(created).toMatchObject({ code: 0 });

    const kubeconfig = join(parent, 'demo.kubeconfig');
    await writeFile(kubeconfig, (await cli('kubeconfig', 'demo')).stdout);
    const { transport } = await loadKubeConnection({ path: kubeconfig });
    const tenant = new KubeClient(new HttpsTransport(transport));
    const { items } = await tenant.resource<Node>(Nodes).list();
    expect(items).toHaveLength(2);
    const labels = { app: 'web' };
    const deployments = tenant.resource<Deployment>(Deployments);
    await deployments.create({
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas: 3,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
      },
    });
    await first(deployments, {}, ({ status }) => status?.readyReplicas === 3);
    tenant.close();
  });

  test('finds control planes still running after a kill, and leaves them running', async () => {
    const before = pidsOf(onlySubfolder(planes));
    expect(areAllKnown(before)).toBe(true);

    await fairway.kill();
    expect(processesIn(planes)).toHaveLength(COMPONENTS.length);
    fairway = await up();
    const pool = (await cli('nodepool', 'list', '--output', 'name')).stdout.trim().split('/').at(-1) ?? '';
    expect(await cli('nodepool', 'scale', pool, '--nodes', '3')).toMatchObject({ code: 0 });

    expect(pidsOf(onlySubfolder(planes))).toEqual(before);
  });

  test('refuses to change the kind of control planes in a home', async () => {
    const other = await cli('up', '--home', home, '--control-plane', 'simulated');

    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('of kind process') });
  });

  test('stops its control planes when it is stopped, and restarts them', async () => {
    await fairway.stop();
    expect(processesIn(planes)).toEqual([]);

    fairway = await up();
    const { stdout } = await cli('cluster', 'list', '--output', 'name');
    expect(stdout).toContain('demo');
  });

  test('leaves no processes or data of a deleted cluster', async () => {
    expect(await cli('cluster', 'delete', 'demo', '--yes')).toMatchObject({ code: 0 });

    expect(processesIn(planes)).toEqual([]);
    expect(readdirSync(planes)).toEqual([]);
  });
});
