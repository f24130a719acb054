import { join } from 'node:path';
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

  test('are accepted by the API server, and meet all requirements for restricted pods', async () => {
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

  test('are accepted for monitoring, except the PodMonitor, whose kind belongs to the Prometheus operator', async () => {
    const file = join(deploy, 'manifests/pod-monitor.yaml');
    const { stdout, stderr } = await kubectl('apply', '--dry-run=server', '--validate=strict', '-f', file);

    expect(stdout.match(/ created \(server dry run\)$/gm)).toHaveLength(4);
    expect(stderr).toMatch(/no matches for kind "PodMonitor"/);
  });

  test('include dashboards that the API server accepts', async () => {
    const folder = join(deploy, 'helm/fairway/files/dashboards');
    const { code, stdout } = await kubectl('apply', '--dry-run=server', '--validate=strict', '-k', folder);

    expect({ code, stdout }).toEqual({ code: 0, stdout: 'configmap/fairway-dashboards created (server dry run)\n' });
  });
});
