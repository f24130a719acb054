import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { plans } from '@fairway/api/kinds/plan';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { DaemonSets, Deployments } from '@fairway/kube/kinds/resources';
import { TEAM, type TestFairway } from '../test-fairway.ts';
import { type Cause, MINUTE_MS } from './cause.ts';

const KUBE_SYSTEM = { namespace: 'kube-system' };
/** Matches any generation. */
const LATEST = 99;

async function tenantOf({ client, runtime }: TestFairway): Promise<KubeClient> {
  return runtime.client(identityOf(await client.resource(clusters).get('demo', { namespace: TEAM })));
}

/** Sets the status that the cluster's controllers would report. */
async function setRunningOnNode(fairway: TestFairway, ...names: readonly string[]): Promise<void> {
  const daemonSets = (await tenantOf(fairway)).resource(DaemonSets);
  const counts = { desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberReady: 1 };
  const value = { status: { observedGeneration: LATEST, ...counts } };
  for (const name of names)
    await daemonSets.patch(name, { type: 'merge', value }, { ...KUBE_SYSTEM, subresource: 'status' });
}

/** Makes all add-ons work. */
async function runAddonsOnNode(fairway: TestFairway): Promise<void> {
  await setRunningOnNode(fairway, 'kube-proxy', 'canal', 'csi-cinder-nodeplugin');
  const deployments = (await tenantOf(fairway)).resource(Deployments);
  const conditions = [{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: '' }];
  const value = { status: { observedGeneration: LATEST, updatedReplicas: 2, conditions } };
  await deployments.patch('coredns', { type: 'merge', value }, { ...KUBE_SYSTEM, subresource: 'status' });
}

/** Reports about add-ons in clusters. */
export const ADDON_CAUSES: readonly Cause[] = [
  {
    cause: 'An add-on of the cluster does not work',
    by: {
      from: 'a cluster',
      begin: async (fairway) => {
        const deployments = (await tenantOf(fairway)).resource(Deployments);
        const value = { status: { observedGeneration: LATEST } };
        await deployments.patch('coredns', { type: 'merge', value }, { ...KUBE_SYSTEM, subresource: 'status' });
      },
      request: (fairway) => setRunningOnNode(fairway, 'kube-proxy', 'canal', 'csi-cinder-nodeplugin'),
    },
    afterMs: 15 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'AddonsReady',
    reason: 'AddonDegraded',
    message:
      'coredns: Deployment kube-system/coredns is not ready on every node that should run it; to see why: kubectl -n kube-system describe pods -l k8s-app=kube-dns',
  },
  {
    cause: 'A StorageClass of the plan uses a volume type that the cloud lacks',
    by: {
      from: 'a cluster',
      begin: async (fairway) => {
        await runAddonsOnNode(fairway);
      },
      request: (fairway) =>
        fairway.patch(plans, 'free', { spec: { storage: { classes: [{ name: 'gold', volumeType: 'gold' }] } } }),
    },
    afterMs: MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'AddonsReady',
    reason: 'AddonMisconfigured',
    message:
      'cinder-csi: the cloud has no volume type gold (used by StorageClass gold); available: classic, classic-luks, classic-multiattach, high-speed, high-speed-gen2, high-speed-gen2-luks, high-speed-luks. Other StorageClasses work; the operator must correct spec.storage.classes of plan "free" or create the type',
  },
  {
    cause: 'The cluster refuses an add-on',
    by: {
      from: 'a cluster',
      begin: async (fairway, faults) => {
        await setRunningOnNode(fairway, 'canal', 'csi-cinder-nodeplugin');
        faults.refusesTenantWrites = true;
      },
      request: async (fairway) => (await tenantOf(fairway)).resource(DaemonSets).delete('kube-proxy', KUBE_SYSTEM),
    },
    afterMs: MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'AddonsReady',
    reason: 'AddonRefused',
    message:
      "kube-proxy: the cluster's API server rejected DaemonSet kube-system/kube-proxy (Forbidden): HTTP 403; coredns: the cluster's controllers have not processed Deployment kube-system/coredns yet",
  },
];
