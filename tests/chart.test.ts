import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { valuesOfFile } from '@fairway/cli/configuration/sources';
import { FAIRWAY_VERSION } from '@fairway/service/version';
import { load, loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import { type ManagementCluster, startManagementCluster } from './management/management-cluster.ts';
import { PROJECT, run } from './session/running-fairway.ts';
import { findHelm, findKubectls } from './session/tools.ts';

const helm = findHelm() ?? '';
const title = helm === '' ? ' (skipped: no helm at HELM_BIN or on PATH, and testbed/clients is not built)' : '';
const kubectl = findKubectls().at(-1)?.path ?? '';
const binaries = findBinaries().find(({ minor }) => minor >= 31);
const clusterTitle =
  binaries === undefined || kubectl === ''
    ? ' (skipped: no kubectl or no kube-apiserver of 1.31 or later)'
    : `: kube-apiserver ${binaries.version}`;
const chart = join(PROJECT, 'deploy/helm/fairway');
const NAMESPACE = ['--namespace', 'fairway-system'];
/** A helm binary not built by the Helm project assumes that the cluster is 1.20. */
const VERSION = ['--kube-version', '1.36.0'];

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly Container[] } } };
}

interface Container {
  readonly image: string;
  readonly ports: readonly object[];
  readonly env: readonly object[];
}

describe.skipIf(helm === '')(`the chart${title}`, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'fairway-chart-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const template = (...args: readonly string[]) =>
    spawnSync(helm, ['template', 'fairway', chart, ...NAMESPACE, ...VERSION, ...args], { encoding: 'utf8' });

  function withValues(values: object): readonly Rendered[] {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, JSON.stringify(values));
    const { stdout, stderr } = template('--values', file);
    expect(stderr).toBe('');
    return sorted(stdout);
  }

  function sorted(text: string): readonly Rendered[] {
    const key = ({ kind, metadata }: Rendered) => `${kind}/${metadata.name}`;
    const objects = loadAll(text).filter(Boolean) as Rendered[];
    return objects.toSorted((a, b) => key(a).localeCompare(key(b)));
  }

  function objectsOfKind(objects: readonly Rendered[], kind: string): Rendered {
    const object = objects.find((each) => each.kind === kind);
    if (object === undefined) throw new Error(`there is no ${kind}`);
    return object;
  }

  function container(objects: readonly Rendered[]): Container | undefined {
    return objectsOfKind(objects, 'Deployment').spec?.template?.spec.containers[0];
  }

  /** Helm sorts the keys of fairway.yaml. One side writes empty mappings and lists, the other omits them. */
  function comparable(text: string): unknown {
    const drop = (name: string, value: unknown) =>
      name === 'checksum/config' ||
      (value !== null && typeof value === 'object' && Object.keys(value).length === 0 && name !== 'emptyDir')
        ? undefined
        : name === 'fairway.yaml'
          ? load(String(value))
          : value;
    return JSON.parse(JSON.stringify(JSON.parse(JSON.stringify(sorted(text), drop)), drop));
  }

  test('renders the plain manifests by default', () => {
    const rendered = template();

    expect(rendered.stderr).toBe('');
    expect(comparable(rendered.stdout)).toEqual(
      comparable(readFileSync(join(PROJECT, 'deploy/manifests/serve.yaml'), 'utf8')),
    );
  });

  test('renders the alerts and dashboards from its files, with links to the runbooks', () => {
    const runbooks = 'https://docs.example.com/runbooks';
    const rendered = withValues({ prometheusRule: { enabled: true, runbooks }, dashboards: { enabled: true } });

    const alerts = readFileSync(join(chart, 'files/alerts.yaml'), 'utf8');
    const expected = alerts.replaceAll('docs/operators/runbooks.md', runbooks);
    expect(objectsOfKind(rendered, 'PrometheusRule').spec).toEqual(load(expected));
    const dashboards = rendered.find(({ metadata }) => metadata.name === 'fairway-dashboards');
    const texts = ['cluster', 'openstack', 'overview'].map((name) => [
      `fairway-${name}.json`,
      readFileSync(join(chart, 'files/dashboards', `${name}.json`), 'utf8'),
    ]);
    expect(dashboards?.data).toEqual(Object.fromEntries(texts));
  });

  test('applies values', () => {
    const rendered = withValues({
      image: { repository: 'registry.example.com:5000/fairway', tag: 'other', pullSecrets: [{ name: 'registry' }] },
      networkPolicy: { enabled: false },
      podMonitor: { enabled: true },
      rbac: { create: true },
      home: { storageClassName: 'fast' },
      extraEnv: [{ name: 'KUBEBUILDER_ASSETS', value: '/opt/kubernetes' }],
      extraVolumes: [{ name: 'kubernetes', emptyDir: {} }],
      extraVolumeMounts: [{ name: 'kubernetes', mountPath: '/opt/kubernetes' }],
      podAnnotations: { 'example.com/rack': '7' },
      tolerations: [{ operator: 'Exists' }],
      nodeSelector: { rack: '7' },
    });
    const kinds = rendered.map(({ kind }) => kind);

    expect(kinds).toEqual(expect.arrayContaining(['PodMonitor', 'ServiceAccount', 'ClusterRole', 'RoleBinding']));
    expect(kinds).not.toContain('NetworkPolicy');
    expect(objectsOfKind(rendered, 'PersistentVolumeClaim').spec).toMatchObject({ storageClassName: 'fast' });
    expect(objectsOfKind(rendered, 'Deployment').spec?.template).toMatchObject({
      metadata: {
        annotations: { 'example.com/rack': '7', 'checksum/config': expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
      spec: {
        imagePullSecrets: [{ name: 'registry' }],
        tolerations: [{ operator: 'Exists' }],
        nodeSelector: { rack: '7' },
        containers: [
          {
            image: 'registry.example.com:5000/fairway:other',
            env: expect.arrayContaining([{ name: 'KUBEBUILDER_ASSETS', value: '/opt/kubernetes' }]),
            volumeMounts: expect.arrayContaining([{ name: 'kubernetes', mountPath: '/opt/kubernetes' }]),
          },
        ],
        volumes: expect.arrayContaining([{ name: 'kubernetes', emptyDir: {} }]),
      },
    });
  });

  test('passes its config as fairway.yaml, and serves at the configured address', () => {
    const config = {
      listen: '[::]:9443',
      cloud: { name: 'on: off' },
      tls: { subjectAltNames: ['fairway.example.com'] },
      limits: { maxConnections: 2_000_000 },
    };
    const rendered = withValues({ config });
    const text = objectsOfKind(rendered, 'ConfigMap').data?.['fairway.yaml'] ?? '';
    const { found, problems } = valuesOfFile('/etc/fairway/config/fairway.yaml', text);

    expect(problems).toEqual([]);
    expect(found.get('cloud.name')?.value).toBe('on: off');
    expect(found.get('limits.maxConnections')?.value).toBe(2_000_000);
    expect(found.get('cloud.file')?.value).toBe('/etc/fairway/clouds/clouds.yaml');
    expect(container(rendered)?.ports).toEqual([{ name: 'gateway', containerPort: 9443 }]);
  });

  test('admits users of Magnum’s API on its port if the API is enabled', () => {
    const config = { magnum: { listen: '0.0.0.0:9512' }, keystone: { cloud: 'mine' } };
    const from = [{ ipBlock: { cidr: '192.0.2.0/24' } }];
    const magnum = { enabled: true, service: { type: 'LoadBalancer', annotations: { 'example.com/pool': 'a' } }, from };

    const rendered = withValues({ config, magnum }).filter(({ metadata }) => metadata.name === 'fairway-magnum');

    expect(rendered).toMatchObject([
      { kind: 'NetworkPolicy', spec: { ingress: [{ from, ports: [{ protocol: 'TCP', port: 9512 }] }] } },
      {
        kind: 'Service',
        metadata: { annotations: { 'example.com/pool': 'a' } },
        spec: { type: 'LoadBalancer', ports: [{ name: 'magnum', port: 9512, targetPort: 9512 }] },
      },
    ]);
    expect(withValues({ config }).map(({ metadata }) => metadata.name)).not.toContain('fairway-magnum');
  });

  test('passes helm lint', () => {
    const { status, stdout, stderr } = spawnSync(helm, ['lint', '--strict', chart, ...NAMESPACE, ...VERSION], {
      encoding: 'utf8',
    });

    expect({ status, stderr, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/\b0 chart\(s\) failed/),
    });
  });

  test.each([
    ['config.lisen=x', /lisen/],
    ['replicas=2', /replicas/],
    ['replica=1', /replica/],
    ['config.log.level=loud', /level/],
    ['config.listen=null', /config\.listen: HOST:PORT/],
    ['magnum.enabled=true', /magnum\.enabled needs config\.magnum\.listen: HOST:PORT/],
    ['config.gateway.enabled=false', /config\.gateway\.enabled: false leaves nothing that kubelet could probe/],
    ['podAnnotations.a=1', /podAnnotations\/a.*want string/],
    ['image.tag=1', /image\/tag.*want string/],
    ['image.digest=x', /digest/],
  ])('refuses --set %s', (set, expectedError) => {
    const { status, stderr } = template('--set', set);

    expect(status).toBe(1);
    expect(stderr).toMatch(expectedError);
  });

  test('refuses a namespace other than that of Fairway’s own objects', () => {
    const { status, stderr } = template('--namespace', 'team');

    expect(status).toBe(1);
    expect(stderr).toContain('not in team: use --namespace fairway-system');
  });

  test('has Fairway’s version', () => {
    expect(readFileSync(join(chart, 'Chart.yaml'), 'utf8')).toContain(`appVersion: ${FAIRWAY_VERSION}\n`);
  });

  describe.skipIf(binaries === undefined || kubectl === '')(`the chart in a cluster${clusterTitle}`, () => {
    let cluster: ManagementCluster;
    beforeAll(async () => {
      if (binaries !== undefined) cluster = await startManagementCluster(binaries);
    });
    afterAll(() => cluster?.[Symbol.asyncDispose]());

    const inCluster = (...args: readonly string[]) =>
      run(helm, [...args, ...NAMESPACE, '--kubeconfig', cluster.kubeconfigs.admin]);
    const get = (...args: readonly string[]) =>
      run(kubectl, ['--kubeconfig', cluster.kubeconfigs.admin, ...NAMESPACE, 'get', ...args]);

    test('is installed, upgraded and uninstalled, and keeps tenants’ objects', async () => {
      const image = ['deployment', 'fairway', '-o', 'jsonpath={.spec.template.spec.containers[0].image}'];
      expect(await inCluster('install', 'fairway', chart)).toMatchObject({ code: 0, stderr: '' });
      expect(await get(...image)).toMatchObject({ stdout: `fairway:${FAIRWAY_VERSION}` });

      const values = ['--set', 'image.tag=next,rbac.create=false,config.log.level=debug,networkPolicy.enabled=false'];
      expect(await inCluster('upgrade', 'fairway', chart, ...values)).toMatchObject({ code: 0, stderr: '' });
      expect(await get(...image)).toMatchObject({ stdout: 'fairway:next' });
      expect((await get('configmap', 'fairway-config', '-o', 'yaml')).stdout).toContain('level: debug');
      expect((await get('networkpolicies', '-o', 'name')).stdout).toBe('');

      expect(await inCluster('uninstall', 'fairway')).toMatchObject({ code: 0 });
      expect((await get('deployments,services,configmaps', '-o', 'name')).stdout).not.toContain('fairway');
      expect((await get('persistentvolumeclaims', '-o', 'name')).stdout).toBe('persistentvolumeclaim/fairway-home\n');
      expect((await get('crd', 'clusters.fairway.dev', '-o', 'name')).code).toBe(0);
      expect(await inCluster('install', 'fairway', chart)).toMatchObject({ code: 0, stderr: '' });
    });
  });
});
