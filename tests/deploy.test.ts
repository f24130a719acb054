import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findExecutable, foldersOnPath } from '@fairway/control-plane/process/executables';
import { FAIRWAY_VERSION } from '@fairway/service/version';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import { type ManagementCluster, startManagementCluster } from './management/management-cluster.ts';
import { PROJECT, run } from './session/running-fairway.ts';
import { findKubectls } from './session/tools.ts';

const deploy = join(PROJECT, 'deploy');
const kubectlPath = findKubectls().at(-1)?.path;
const binaries = kubectlPath === undefined ? undefined : findBinaries().find(({ minor }) => minor >= 31);
const title = binaries
  ? `with kube-apiserver ${binaries.version}`
  : '(skipped: no kubectl or no kube-apiserver of 1.31 or later)';
const helm = findExecutable(foldersOnPath(process.env), 'helm') ?? '';
const skipped = helm === '' ? ' (skipped: no helm on PATH)' : '';

describe.skipIf(binaries === undefined)(`the manifests of fairway serve ${title}`, () => {
  let cluster: ManagementCluster;
  const kubectl = (...args: readonly string[]) =>
    run(kubectlPath ?? '', ['--kubeconfig', cluster.kubeconfigs.admin, ...args]);

  beforeAll(async () => {
    if (binaries === undefined) return;
    cluster = await startManagementCluster(binaries);
    const warn = 'pod-security.kubernetes.io/warn=restricted';
    const labelled = await kubectl('label', 'namespace', 'fairway-system', warn);
    if (labelled.code !== 0) throw new Error(labelled.stderr);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test('the API server takes all of them, and no rule of restricted pods is broken', async () => {
    const applied = await kubectl(
      'apply',
      '--dry-run=server',
      '--validate=strict',
      '-f',
      join(deploy, 'manifests/serve.yaml'),
    );

    expect(applied).toMatchObject({ code: 0, stderr: '' });
    expect(applied.stdout.match(/ created \(server dry run\)$/gm)).toHaveLength(6);
  });

  test('it takes those of the monitoring but the PodMonitor, whose kind is the Prometheus operator’s', async () => {
    const file = join(deploy, 'manifests/pod-monitor.yaml');
    const { stdout, stderr } = await kubectl('apply', '--dry-run=server', '--validate=strict', '-f', file);

    expect(stdout.match(/ created \(server dry run\)$/gm)).toHaveLength(4);
    expect(stderr).toMatch(/no matches for kind "PodMonitor"/);
  });
});

describe.skipIf(helm === '')(`the chart${skipped}`, () => {
  const chart = join(deploy, 'helm/fairway');
  const template = (...args: readonly string[]) =>
    spawnSync(helm, ['template', 'fairway', chart, ...args], { encoding: 'utf8' });

  function sorted(text: string): object[] {
    const key = ({ kind, metadata }: { kind: string; metadata: { name: string } }) => `${kind}/${metadata.name}`;
    const objects = loadAll(text).filter(Boolean) as { kind: string; metadata: { name: string } }[];
    return objects.toSorted((a, b) => key(a).localeCompare(key(b)));
  }

  /** Empty mappings and lists are written out by the one and left out by the other. */
  function comparable(text: string): unknown {
    const drop = (name: string, value: unknown) =>
      name === 'checksum/config' ||
      (value !== null && typeof value === 'object' && Object.keys(value).length === 0 && name !== 'emptyDir')
        ? undefined
        : value;
    return JSON.parse(JSON.stringify(JSON.parse(JSON.stringify(sorted(text), drop)), drop));
  }

  test('renders the plain manifests by default', () => {
    const rendered = template();

    expect(rendered.stderr).toBe('');
    expect(comparable(rendered.stdout)).toEqual(comparable(readFileSync(join(deploy, 'manifests/serve.yaml'), 'utf8')));
  });

  test('renders what values say', () => {
    const set = {
      'image.repository': 'registry.example.com/fairway',
      'image.tag': 'other',
      'config.cloud.name': 'mycloud',
      'networkPolicy.enabled': 'false',
      'podMonitor.enabled': 'true',
      'rbac.create': 'true',
      'home.storageClassName': 'fast',
      'extraEnv[0].name': 'KUBEBUILDER_ASSETS',
      'extraEnv[0].value': '/opt/kubernetes',
    };
    const { stdout, stderr } = template(
      '--set',
      Object.entries(set)
        .map((pair) => pair.join('='))
        .join(','),
    );
    const kinds = (sorted(stdout) as { kind: string }[]).map(({ kind }) => kind);

    expect(stderr).toBe('');
    expect(stdout).toContain('image: "registry.example.com/fairway:other"');
    expect(stdout).toContain('storageClassName: "fast"');
    expect(stdout).toMatch(/fairway\.yaml: \|[^]*name: mycloud/);
    expect(stdout).toMatch(/- name: KUBEBUILDER_ASSETS\n +value: \/opt\/kubernetes/);
    expect(kinds).toEqual(expect.arrayContaining(['PodMonitor', 'ServiceAccount', 'ClusterRole', 'RoleBinding']));
    expect(kinds).not.toContain('NetworkPolicy');
  });

  test('is linted without a complaint', () => {
    expect(spawnSync(helm, ['lint', '--strict', chart], { encoding: 'utf8' })).toMatchObject({ status: 0 });
  });

  test.each([
    ['config.lisen=x', /lisen/],
    ['replicas=2', /replicas/],
    ['replica=1', /replica/],
    ['config.log.level=loud', /level/],
  ])('refuses --set %s', (set, says) => {
    const { status, stderr } = template('--set', set);

    expect(status).toBe(1);
    expect(stderr).toMatch(says);
  });

  test('has the version of Fairway', () => {
    expect(readFileSync(join(chart, 'Chart.yaml'), 'utf8')).toContain(`appVersion: ${FAIRWAY_VERSION}\n`);
  });
});
