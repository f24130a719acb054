import { API_VERSION, CLUSTER_LABEL } from '@fairway/api/group';
import type { KubeObject } from '@fairway/kube/object/meta';

const CREATED_AT = '2026-01-01T00:00:00Z';

function condition(type: string) {
  return {
    type,
    status: 'True',
    reason: 'Ready',
    message: 'everything is as it should be, and has been for a while',
    observedGeneration: 3,
    lastTransitionTime: CREATED_AT,
  };
}

/** A cluster of typical size: about 4 KB. */
export function aFullCluster(namespace: string, index: number): KubeObject {
  const name = `cluster-${index}`;
  const isBusy = index % 10 === 0;
  return {
    apiVersion: API_VERSION,
    kind: 'Cluster',
    metadata: {
      name,
      namespace,
      uid: `c-${index}`,
      generation: 3,
      creationTimestamp: CREATED_AT,
      finalizers: ['fairway.dev/cloud-resources'],
    },
    spec: { plan: 'standard', version: '1.36', updatePolicy: 'AlwaysUpdate', network: {}, cni: {}, apiServer: {} },
    status: {
      observedGeneration: 3,
      phase: isBusy ? 'Updating' : 'Ready',
      version: '1.36.3',
      url: `https://192.0.2.${index % 250}:6443`,
      caCertificate: 'x'.repeat(700),
      nodes: { desired: 10, current: 10, ready: isBusy ? 9 : 10, upToDate: 10 },
      conditions: ['Ready', 'NetworkReady', 'ControlPlaneReady', 'NodePoolsReady', 'UpToDate', 'AddonsReady'].map(
        condition,
      ),
      lastOperation: {
        type: isBusy ? 'Upgrade' : 'Create',
        state: isBusy ? 'Processing' : 'Succeeded',
        progress: isBusy ? 42 : 100,
        description: isBusy ? 'node 5 of 10 is being replaced' : 'done',
      },
    },
  } as KubeObject;
}

/** A machine: about 2 KB. */
export function aFullMachine(namespace: string, index: number, clusterCount: number): KubeObject {
  const clusterName = `cluster-${index % clusterCount}`;
  return {
    apiVersion: API_VERSION,
    kind: 'Machine',
    metadata: {
      name: `${clusterName}-pool-${index}`,
      namespace,
      uid: `m-${index}`,
      generation: 1,
      creationTimestamp: CREATED_AT,
      labels: { [CLUSTER_LABEL]: clusterName },
    },
    spec: {
      clusterName,
      nodePoolName: `${clusterName}-pool`,
      zone: `zone-${index % 3}`,
      flavor: 'b3-8',
      image: 'image',
      version: '1.36.3',
    },
    status: {
      phase: index % 50 === 0 ? 'NotReady' : 'Ready',
      address: `10.0.${index % 250}.${Math.floor(index / 250)}`,
      nodeName: `${clusterName}-pool-${index}`,
      version: '1.36.3',
      serverID: `s-${index}`,
      conditions: ['Ready', 'ServerReady', 'NodeReady', 'Installed'].map(condition),
    },
  } as KubeObject;
}
