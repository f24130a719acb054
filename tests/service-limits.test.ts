import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClusterSpec, clusters } from '@fairway/api/kinds/cluster';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Service } from '@fairway/kube/kinds/generated/types';
import {
  Events,
  PersistentVolumeClaims,
  Services,
  StorageClasses,
  ValidatingAdmissionPolicies,
} from '@fairway/kube/kinds/resources';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from './console/browser.ts';
import { type ConsoleTest, startConsoleTest } from './console/console-test.ts';
import { clientOf } from './session/client-of.ts';
import { PROJECT, run } from './session/running-fairway.ts';
import { findCoeClient } from './session/tools.ts';

const openstack = findCoeClient();
const missing = [
  ...(hasBrowser ? [] : ['no /usr/bin/chromium']),
  ...(openstack === undefined ? ['no /usr/bin/openstack with python3-magnumclient'] : []),
];
const skipped = missing.length === 0 ? '' : ` (skipped: ${missing.join(', ')})`;

const PLANS = ['magnum', 'management-service'] as const;
type PlanName = (typeof PLANS)[number];
const ANNOTATIONS_NOTE =
  'Use the fields of the Service, such as loadBalancerSourceRanges and externalTrafficPolicy, and the annotation loadbalancer.fairway.dev/provider to choose a provider';
const CINDER = 'cinder.csi.openstack.org';
const ACCEPTED = /^$/;
const POLICIES_PATH = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const POLL_OPTIONS = { timeout: 400_000 };

/**
 * An operator's page of limitations, which examples/plans state as data: what each sentence means wherever users ask.
 * Each request resolves with its refusal; an empty one means that it is accepted.
 */
describe.skipIf(skipped !== '')(`the limits of two services of one operator${skipped}`, () => {
  let fairway: ConsoleTest;
  let operator: KubeClient;
  /** The newest version here; both services have an older newest version. */
  let newest: string;
  /** Clusters that are older than the limit of versions, by their plan. */
  const tenants = new Map<PlanName, KubeClient>();

  beforeAll(async () => {
    fairway = await startConsoleTest('--keystone', 'simulator-service', '--magnum-listen', '127.0.0.1:0');
    operator = await clientOf(fairway.fairway.kubeconfig);
    for (const name of PLANS) {
      const plan = load(readFileSync(join(PROJECT, 'examples/plans', `${name}.yaml`), 'utf8')) as Plan;
      const { kubernetes, ...spec } = plan.spec;
      await operator.resource(plans).create({ ...plan, spec });
      await succeed('cluster', 'create', name, '--plan', name);
      await operator.resource(plans).patch(name, { type: 'merge', value: { spec: { kubernetes } } });
      const file = join(fairway.fairway.home, `${name}.kubeconfig`);
      await succeed('kubeconfig', name, '-o', file);
      tenants.set(name, await clientOf(file));
    }
    const { namespace } = fairway.fairway;
    const { status } = await operator.resource(clusters).get('magnum', { namespace });
    newest = (status?.version ?? '').split('.').slice(0, 2).join('.');
  });
  afterAll(async () => {
    for (const client of [operator, ...tenants.values()]) client?.close();
    await fairway?.close();
  });

  const fairwayCommand = (...words: readonly string[]) =>
    run('npx', ['fairway', '--kubeconfig', fairway.fairway.kubeconfig, ...words]);

  async function cli(...words: readonly string[]): Promise<string> {
    const { code, stderr } = await fairwayCommand(...words);
    return code === 0 ? '' : stderr;
  }

  async function succeed(...words: readonly string[]): Promise<void> {
    const problem = await cli(...words);
    if (problem !== '') throw new Error(problem);
  }

  async function coe(...words: readonly string[]): Promise<string> {
    const { home, cloudsYaml } = fairway.fairway;
    const { code, stderr } = await run(openstack ?? '', ['--os-cloud', 'simulator', 'coe', 'cluster', ...words], {
      PATH: '/usr/bin:/bin',
      HOME: home,
      OS_CLIENT_CONFIG_FILE: cloudsYaml,
      OS_CACERT: join(home, 'api-ca.crt'),
    });
    return code === 0 ? '' : stderr;
  }

  const refusalOf = (request: Promise<unknown>) =>
    request.then(
      () => '',
      (error: Error) => error.message,
    );

  const createCluster = (plan: PlanName, spec: Partial<ClusterSpec>) => {
    const { namespace } = fairway.fairway;
    const cluster = { metadata: { name: 'new', namespace }, spec: { plan, ...spec } as ClusterSpec };
    return refusalOf(operator.resource(clusters).create(cluster, { dryRun: true }));
  };

  function tenant(plan: PlanName): KubeClient {
    const client = tenants.get(plan);
    if (client === undefined) throw new Error(`there is no cluster with the plan ${plan}`);
    return client;
  }

  const aClaim = (mode: string, storageClassName?: string) => ({
    metadata: { name: 'data', namespace: 'default' },
    spec: {
      accessModes: [mode],
      resources: { requests: { storage: '1Gi' } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  });
  const createClaim = (plan: PlanName, mode: string) =>
    refusalOf(tenant(plan).resource(PersistentVolumeClaims).create(aClaim(mode), { dryRun: true }));
  const aService = (spec: object, annotations = {}): Service => ({
    metadata: { name: 'web', namespace: 'default', annotations },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec },
  });
  const createService = (plan: PlanName, spec: object, annotations = {}) =>
    refusalOf(tenant(plan).resource(Services).create(aService(spec, annotations), { dryRun: true }));
  const aClass = (provisioner: string) => ({
    metadata: { name: 'mine' },
    provisioner,
    volumeBindingMode: 'Immediate' as const,
  });
  const createClass = (plan: PlanName, provisioner: string) =>
    refusalOf(tenant(plan).resource(StorageClasses).create(aClass(provisioner), { dryRun: true }));

  /** What the console's form shows about a plan. */
  async function formOf(displayName: string): Promise<string> {
    const page = await fairway.openAs('demo', 'clusters/new');
    await page.getByRole('radio', { name: new RegExp(`^${displayName}`) }).check();
    await page.locator('#name').fill('new');
    await page
      .getByText('1 error')
      .or(page.getByText(/\d errors/))
      .first()
      .waitFor();
    const text = await page.locator('form').innerText();
    await fairway.leave();
    return text.replaceAll(/\s+/g, ' ');
  }

  describe('OpenStack Magnum', () => {
    const template = (...words: readonly string[]) =>
      coe(
        'template',
        'create',
        't',
        '--image',
        'Ubuntu 22.04',
        '--flavor',
        'b3-8',
        '--external-network',
        'public',
        ...words,
      );

    test.each(['swarm', 'mesos'])('“Magnum only supports the kubernetes COE”: not %s', async (engine) => {
      expect(await template('--coe', engine)).toContain(
        `coe: Cluster type ${engine} is not supported: it must be kubernetes (HTTP 400)`,
      );
    });

    test('“The latest Kubernetes version you can install with OpenStack Magnum is 1.27”', async () => {
      const tooNew = 'is newer than 1.27, the newest version of plan "magnum"; no version is available';

      expect(await createCluster('magnum', { version: newest })).toContain(tooNew);
      expect(await createCluster('magnum', {})).toContain('no version is available: ');
      expect(await cli('cluster', 'create', 'new', '--plan', 'magnum', '--version', newest)).toContain(tooNew);
      expect(await completionsOf('magnum')).toEqual([]);
      expect((await fairwayCommand('versions', '--plan', 'magnum')).stderr).toContain('No versions are available');
      expect(await template('--coe', 'kubernetes', '--labels', 'fairway_plan=magnum')).toBe('');
      expect(
        await coe('create', 'new', '--cluster-template', 't', '--merge-labels', '--labels', `kube_tag=v${newest}.0`),
      ).toContain(`labels.kube_tag: Invalid value: "${newest}.0": ${tooNew} (HTTP 400)`);
      expect(await coe('create', 'new', '--cluster-template', `k8s-${newest}-magnum`)).toContain(
        'is hidden: its kube_tag',
      );
      expect(await formOf('Magnum')).toMatch(
        /Kubernetes up to 1\.27 .* newer than 1\.27, the newest version of plan "magnum"/,
      );
    });

    test('“Dual-stack clusters or services are not supported”', async () => {
      expect(await createCluster('magnum', { podCIDR: '10.2.0.0/16,fd00::/56' })).toContain('spec.podCIDR');
      expect(await createService('magnum', { ipFamilyPolicy: 'RequireDualStack' })).toContain('spec.ipFamilies');
      expect(await createService('magnum', { ipFamilies: ['IPv4'] })).toMatch(ACCEPTED);
      expect(await formOf('Magnum')).toContain('IP families of Services: only IPv4, IPv6');
    });

    test('“The only supported network driver is calico. We do not support flannel”', async () => {
      expect(
        await template('--coe', 'kubernetes', '--network-driver', 'flannel', '--labels', 'fairway_plan=magnum'),
      ).toContain('network_driver flannel is not supported: use calico (HTTP 400)');
      expect(await createCluster('magnum', { cni: { type: 'cilium' } })).toMatch(/spec\.cni\.type: .*"cilium".*canal/);
      expect(await formOf('Magnum')).not.toContain('Cilium');
    });

    test.each([
      { mode: 'ReadWriteOnce', refusal: ACCEPTED },
      { mode: 'ReadWriteOncePod', refusal: /ReadWriteOncePod is not allowed .*: use ReadWriteOnce\. .*same node/ },
      { mode: 'ReadWriteMany', refusal: /ReadWriteMany is not allowed .*: use ReadWriteOnce\. .*same node/ },
      { mode: 'ReadOnlyMany', refusal: /ReadOnlyMany is not allowed .*: use ReadWriteOnce\. .*same node/ },
    ])('“The only supported PV access mode is ReadWriteOnce”: $mode', async ({ mode, refusal }) => {
      expect(await createClaim('magnum', mode)).toMatch(refusal);
    });
  });

  describe('the management service', () => {
    test('“The latest Kubernetes version you can install is 1.32”', async () => {
      const tooNew = 'is newer than 1.32, the newest version of plan "management-service"';

      expect(await createCluster('management-service', { version: newest })).toContain(tooNew);
      expect(await cli('cluster', 'create', 'new', '--plan', 'management-service', '--version', newest)).toContain(
        tooNew,
      );
      expect(await completionsOf('management-service')).not.toContain(newest);
      expect(await coe('create', 'new', '--cluster-template', `k8s-${newest}-management-service`)).toContain(
        'is hidden',
      );
      expect(await formOf('Managed Kubernetes')).toMatch(/Kubernetes up to 1\.32 .* newer than 1\.32/);
    });

    test('“IPv6 clusters or services (whether single-stack or dual-stack) are not supported”', async () => {
      expect(await createCluster('management-service', { podCIDR: 'fd00::/56' })).toContain('spec.podCIDR');
      expect(await createService('management-service', { ipFamilies: ['IPv6'] })).toContain('spec.ipFamilies');
      expect(await createService('management-service', { ipFamilyPolicy: 'RequireDualStack' })).toContain(
        'spec.ipFamilies',
      );
      expect(await createService('management-service', {})).toMatch(ACCEPTED);
      const form = await formOf('Managed Kubernetes');
      expect(form).toContain('IP families of clusters: only IPv4 ');
      expect(form).toContain('Annotations of Services: not loadbalancer.openstack.org/*');
      expect(form).toContain('Access modes of volumes: only ReadWriteOnce, ReadWriteOncePod');
      expect(form).toContain('Your own storage classes: none');
    });

    test('“We do not support loadbalancer.openstack.org annotations for services of the LoadBalancer type”', async () => {
      const annotations = { 'loadbalancer.openstack.org/keep-floatingip': 'true' };

      expect(await createService('management-service', {}, annotations)).toContain(
        `loadbalancer.openstack.org/* is not allowed for Services of type LoadBalancer by the cluster's plan: remove it. ${ANNOTATIONS_NOTE}`,
      );
      expect(await createService('management-service', { type: 'ClusterIP' }, annotations)).toMatch(ACCEPTED);
      expect(await createService('magnum', {}, annotations)).toMatch(ACCEPTED);
    });

    test.each([
      { mode: 'ReadWriteOnce', refusal: ACCEPTED },
      { mode: 'ReadWriteOncePod', refusal: ACCEPTED },
      { mode: 'ReadWriteMany', refusal: /is not allowed .*: use ReadWriteOnce or ReadWriteOncePod\. .*one pod only/ },
      { mode: 'ReadOnlyMany', refusal: /is not allowed .*: use ReadWriteOnce or ReadWriteOncePod\. .*one pod only/ },
    ])('“The supported PV access modes are ReadWriteOnce and ReadWriteOncePod”: $mode', async ({ mode, refusal }) => {
      expect(await createClaim('management-service', mode)).toMatch(refusal);
    });

    test('“Clusters contain a single storage class named default. We do not provide support for any user-defined storage classes”', async () => {
      const { items } = await tenant('management-service').resource(StorageClasses).list();

      expect(items.map(({ metadata }) => metadata.name)).toEqual(['default']);
      expect(await createClass('management-service', CINDER)).toContain('Use the StorageClass default');
      expect(await createClass('management-service', 'nfs.example.org')).toMatch(ACCEPTED);
      expect(await createClass('magnum', CINDER)).toMatch(ACCEPTED);
    });
  });

  const completionsOf = async (plan: PlanName) => {
    const words = ['cluster', 'create', 'new', '--plan', plan, '--version', ''];
    const { stdout } = await run('npx', [
      'fairway',
      '__complete',
      '--',
      '--kubeconfig',
      fairway.fairway.kubeconfig,
      ...words,
    ]);
    return stdout.split('\n').filter((line) => line !== '');
  };

  test.each(PLANS)('the command prints the limits of a cluster with the plan %s, and of the plan', async (plan) => {
    const { stdout } = await fairwayCommand('limits', plan);

    expect(stdout).toMatch(/storage\.accessModes +ReadWriteOnce/);
    expect((await fairwayCommand('limits', '--plan', plan, '--markdown')).stdout).toMatch(
      /^# Kubernetes service limitations/,
    );
  });

  describe('after a cluster-admin has deleted the policies', () => {
    const eventsOf = async (plan: PlanName, name: string) => {
      const { items } = await tenant(plan).resource(Events).list({ namespace: 'default' });
      return items.filter(({ involvedObject }) => involvedObject.name === name).map(({ message = '' }) => message);
    };

    test.each<{ plan: PlanName; mode: string; message: RegExp }>([
      {
        plan: 'magnum',
        mode: 'ReadWriteMany',
        message: /accessModes contains ReadWriteMany, .*: use ReadWriteOnce\. .*same node/,
      },
      {
        plan: 'management-service',
        mode: 'ReadWriteOnce',
        message: /StorageClass mine is not in the cluster's plan, .*: use default/,
      },
    ])('Fairway still refuses volumes under the plan $plan: $message', async ({ plan, mode, message }) => {
      const client = tenant(plan);
      // Fairway restores the policies at any time.
      const createWithoutPolicies = async (create: () => Promise<unknown>) => {
        await client.raw({ method: 'DELETE', path: POLICIES_PATH });
        return refusalOf(create());
      };
      await expect
        .poll(() => createWithoutPolicies(() => client.resource(StorageClasses).create(aClass(CINDER))), POLL_OPTIONS)
        .toBe('');
      const claim = aClaim(mode, 'mine');
      await expect
        .poll(() => createWithoutPolicies(() => client.resource(PersistentVolumeClaims).create(claim)), POLL_OPTIONS)
        .toBe('');

      await expect.poll(() => eventsOf(plan, 'data'), POLL_OPTIONS).toContainEqual(expect.stringMatching(message));
    });

    test('Fairway restores the policies', async () => {
      for (const plan of PLANS) {
        const policies = tenant(plan).resource(ValidatingAdmissionPolicies);
        await expect.poll(() => refusalOf(policies.get('limits.fairway.dev')), POLL_OPTIONS).toBe('');
      }
    });
  });
});
