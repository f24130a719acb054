import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limitPolicies } from '@fairway/addons/limits/objects';
import { storageLimits } from '@fairway/api/domain/plan-storage';
import type { PlanStorage } from '@fairway/api/kinds/plan-storage';
import { systemClock } from '@fairway/base/clock';
import { clusterAdminsBinding, mintKubeconfig } from '@fairway/control-plane/kubeconfig';
import { aBinding, aPolicy } from '@fairway/control-plane/process/testing/policies';
import type { ControlPlaneState } from '@fairway/control-plane/runtime';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import {
  ClusterRoleBindings,
  ConfigMaps,
  PersistentVolumeClaims,
  ValidatingAdmissionPolicies,
  ValidatingAdmissionPolicyBindings,
} from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { pidsOf } from './process-runtime/local-processes.ts';
import { isRunning, ProcessCluster } from './process-runtime/process-cluster.ts';
import { testReleases } from './process-runtime/releases.ts';
import { clientOf } from './session/client-of.ts';

const FIRST_MINOR = 36;
const { offered } = await testReleases();
const release = offered && offered.minor >= FIRST_MINOR ? offered : undefined;
const described = release ? `with Kubernetes ${release.described}` : '(skipped: Kubernetes 1.36 is not found)';

const STATIC_NAME = 'storage.fairway.dev.static.k8s.io';
const DENIED = `is forbidden: ValidatingAdmissionPolicy '${STATIC_NAME}' with binding '${STATIC_NAME}' denied request: `;
const notAllowed = (mode: string, alternatives: string) =>
  `${DENIED}spec.accessModes: ${mode} is not allowed for volumes of cinder.csi.openstack.org by the cluster's plan: use ${alternatives}`;

function policiesOf(accessModes: PlanStorage['accessModes']): readonly KubeObject[] {
  const storage: PlanStorage = { accessModes, tenantClasses: 'Allowed' };
  const inputs = { limits: { storage }, storage: storageLimits({ storage }), today: '2026-11-30' };
  return limitPolicies(inputs).map(({ object }) => object);
}

describe.skipIf(release === undefined)(`limit policies in a file of a control plane ${described}`, () => {
  let parent: string;
  let cluster: ProcessCluster;
  /** A tenant's cluster-admin. */
  let client: KubeClient;

  const usePolicies = (limitPolicies: readonly KubeObject[] | undefined) => {
    cluster.spec = { ...cluster.spec, limitPolicies };
  };
  const isInEffect = (state: ControlPlaneState) => isRunning(state) && state.limitPolicies?.mode === 'Manifests';
  const claim = (mode: string) =>
    client.resource(PersistentVolumeClaims).create(
      {
        metadata: { name: 'data', namespace: 'default' },
        spec: { accessModes: [mode], storageClassName: 'default', resources: { requests: { storage: '1Gi' } } },
      },
      { dryRun: true },
    );
  /** The message of a refusal; undefined if the API server accepts the claim. */
  const refusalOf = (mode: string) =>
    claim(mode).then(
      () => undefined,
      (error: Error) => error.message,
    );
  const deleteAll = () =>
    client.raw({ method: 'DELETE', path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies' });

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'fairway-limit-policies-'));
    cluster = await ProcessCluster.open(parent, release?.assets(parent) ?? '', release?.version ?? '');
    usePolicies(policiesOf(['ReadWriteOnce']));
    const state = await cluster.waitForState(isInEffect);
    const fairway = await cluster.connect(state);
    await fairway.resource(ClusterRoleBindings).create(clusterAdminsBinding());
    fairway.close();
    if (state.endpoint === undefined) throw new Error('the control plane has no endpoint');
    const { pki } = cluster.spec;
    const identity = { clusterName: 'demo', endpoint: state.endpoint, pki, username: 'alice', clock: systemClock };
    await writeFile(join(parent, 'kubeconfig'), (await mintKubeconfig(identity)).kubeconfig);
    client = await clientOf(join(parent, 'kubeconfig'));
  });
  afterAll(async () => {
    client?.close();
    await cluster?.runtime.close();
    await rm(parent, { recursive: true, force: true });
  });

  test('refuse claims in the words of the plan, even if the tenant deletes all policies', async () => {
    const before = await refusalOf('ReadWriteMany');
    await deleteAll();

    expect(before).toContain(notAllowed('ReadWriteMany', 'ReadWriteOnce, or a StorageClass for shares'));
    expect(await refusalOf('ReadWriteMany')).toBe(before);
    expect(await refusalOf('ReadWriteOnce')).toBeUndefined();
  });

  test('can neither be seen, deleted nor replaced by a cluster-admin', async () => {
    const policies = client.resource(ValidatingAdmissionPolicies);
    const names = async () => (await policies.list()).items.map(({ metadata }) => metadata.name);

    expect(await names()).not.toContain(STATIC_NAME);
    await expect(policies.delete(STATIC_NAME)).rejects.toMatchObject({ code: 404 });
    await expect(policies.create({ ...aPolicy(), metadata: { name: STATIC_NAME } })).rejects.toMatchObject({
      code: 422,
    });
    const bindings = client.resource(ValidatingAdmissionPolicyBindings);
    await expect(bindings.create({ ...aBinding(), metadata: { name: STATIC_NAME } })).rejects.toMatchObject({
      code: 422,
    });
  });

  test('follow the plan without a restart of the API server', async () => {
    const pid = pidsOf(cluster.folder)['kube-apiserver'];
    usePolicies(policiesOf(['ReadWriteMany', 'ReadWriteOncePod']));
    await cluster.waitForState(isInEffect);
    const changed = [await refusalOf('ReadWriteMany'), await refusalOf('ReadWriteOnce')];
    usePolicies([]);
    await cluster.waitForState(isInEffect);

    expect(changed).toEqual([
      undefined,
      expect.stringContaining(notAllowed('ReadWriteOnce', 'ReadWriteMany or ReadWriteOncePod')),
    ]);
    expect(await refusalOf('ReadOnlyMany')).toBeUndefined();
    expect(pidsOf(cluster.folder)['kube-apiserver']).toBe(pid);
  });

  test('stay as they were if the API server can not compile a later file, and become objects if it then restarts', async () => {
    usePolicies(policiesOf(['ReadWriteOnce']));
    await cluster.waitForState(isInEffect);
    usePolicies([aPolicy({ validations: [{ expression: 'object.spec.accessModes +', message: 'no' }] }), aBinding()]);
    await cluster.runtime.ensure(cluster.spec);
    const log = join(cluster.folder, 'logs/kube-apiserver.log');
    await vi.waitUntil(() => /manifest config" err=/.test(readFileSync(log, 'utf8')), { timeout: 300_000 });
    const afterReload = await refusalOf('ReadWriteMany');
    process.kill(Number(pidsOf(cluster.folder)['kube-apiserver']), 'SIGKILL');
    const state = await cluster.waitForState((seen) => isRunning(seen) && seen.limitPolicies?.mode === 'Objects');

    expect(afterReload).toContain(notAllowed('ReadWriteMany', 'ReadWriteOnce, or a StorageClass for shares'));
    expect(state.limitPolicies).toMatchObject({
      problem: expect.stringMatching(/^kube-apiserver does not start with the policy file: .*limit-policies/),
    });
    expect(await refusalOf('ReadWriteMany')).toBeUndefined();
  });

  test('take effect again when they are corrected', async () => {
    usePolicies(policiesOf(['ReadWriteOnce']));
    await cluster.waitForState(isInEffect);

    expect(await refusalOf('ReadWriteMany')).toContain(
      notAllowed('ReadWriteMany', 'ReadWriteOnce, or a StorageClass for shares'),
    );
  });

  test('are removed with a restart of the API server alone', async () => {
    const before = pidsOf(cluster.folder);
    usePolicies(undefined);
    const state = await cluster.waitForState(isRunning);
    const after = pidsOf(cluster.folder);

    expect(state.limitPolicies).toBeUndefined();
    expect(after['kube-apiserver']).not.toBe(before['kube-apiserver']);
    expect(after.etcd).toBe(before.etcd);
    expect(await refusalOf('ReadWriteMany')).toBeUndefined();
    await client.resource(ConfigMaps).list({ namespace: 'default' });
  });
});
