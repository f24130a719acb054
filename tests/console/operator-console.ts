import { API_VERSION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type KubernetesRelease, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { KubeObject } from '@fairway/kube/object/meta';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { serviceAccountToken } from '../session/service-account-token.ts';
import { coreType } from '../session/tenant.ts';
import type { ConsoleTest } from './console-test.ts';

const ServiceAccounts = coreType('serviceaccounts', 'ServiceAccount');
const ClusterRoleBindings = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
};

/** A token for a user with all permissions, like one from `kubectl create token`. */
export async function operatorToken(client: KubeClient): Promise<string> {
  const [name, namespace] = ['operator', 'default'];
  await client.resource(ServiceAccounts).create({ metadata: { name, namespace } });
  await client.resource(ClusterRoleBindings).create({
    metadata: { name },
    roleRef: { apiGroup: ClusterRoleBindings.group, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  } as KubeObject);
  return serviceAccountToken(client, { name, namespace }, 3600);
}

/** A page of a user who has signed in with a token through the form. */
export async function openByToken(
  test: ConsoleTest,
  token: string,
  path: string,
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await test.open(path, options);
  await page.locator('form').waitFor();
  await page.getByRole('button', { name: 'Token' }).click();
  await page.locator('#token').fill(token);
  await page.keyboard.press('Enter');
  await page.locator('#content').waitFor();
  return page;
}

export interface ClusterOptions {
  readonly namespace: string;
  readonly name: string;
  readonly version?: string;
  readonly flavor?: string;
  readonly replicas: number;
}

/** Creates a cluster with one pool. */
export async function createCluster(client: KubeClient, clusterOptions: ClusterOptions): Promise<void> {
  const { namespace, name, version, flavor = 'b3-8', replicas } = clusterOptions;
  const cluster = { metadata: { name, namespace }, spec: { plan: 'standard', ...(version && { version }) } };
  await client.resource(clusters).create({ apiVersion: API_VERSION, kind: 'Cluster', ...cluster } as Cluster);
  const pool = { metadata: { name: `${name}-pool`, namespace }, spec: { clusterName: name, flavor, replicas } };
  await client.resource(nodePools).create({ apiVersion: API_VERSION, kind: 'NodePool', ...pool } as NodePool);
}

export function waitForPhase(
  client: KubeClient,
  { namespace, name }: Pick<ClusterOptions, 'namespace' | 'name'>,
  phase: string,
): Promise<Cluster> {
  return eventuallyObject(client.resource(clusters), { namespace, name }, ({ status }) => status?.phase === phase);
}

/**
 * Halts a rollout: `createOutdatedCluster` creates a cluster while the newest patch is withdrawn, so the cluster runs
 * an older one. Then the patch is offered again, and the cluster is marked as having failed to take it, as Fairway does
 * after the rollout's timeout. Resolves with the newest patch.
 */
export async function haltRollout(
  client: KubeClient,
  minor: string,
  createOutdatedCluster: () => Promise<Cluster>,
): Promise<string> {
  const releases = client.resource(kubernetesReleases);
  const change = (spec: object) => releases.patch(minor, { type: 'merge', value: { spec } });
  const waitUntil = (predicate: (release: KubernetesRelease) => boolean) =>
    eventuallyObject(releases, { name: minor }, predicate);
  await waitUntil(({ status }) => status?.newest !== undefined);
  const { spec, status } = await releases.get(minor);
  const newest = status?.newest ?? '';
  const { patches } = spec;
  await change({ patches: patches.map((patch) => ({ ...patch, withdrawn: patch.version === newest })) });
  await waitUntil((release) => release.status?.newest !== newest);
  const { metadata } = await createOutdatedCluster();
  await change({ patches, rollout: { paused: true } });
  await waitUntil((release) => release.status?.rollout?.version === newest && release.status.rollout.waiting === 1);
  const { namespace, name, uid } = metadata;
  const failed = { namespace, name, uid, since: '2026-01-01T00:00:00Z', message: 'still runs an older patch' };
  const value = { status: { rollout: { failed: [failed] } } };
  await releases.patch(minor, { type: 'merge', value }, { subresource: 'status' });
  await waitUntil((release) => release.status?.rollout?.state === 'Halted');
  await change({ rollout: { paused: false } });
  await waitUntil((release) => release.status?.rollout?.state === 'Halted');
  return newest;
}
