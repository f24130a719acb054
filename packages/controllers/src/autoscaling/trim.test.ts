import type { Pod } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { trimPod } from './trim.ts';

test('trimPod keeps only fields that determine where a pod runs and whether it may be evicted', () => {
  const requests = { cpu: '100m' };
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true };
  const pod: Pod = {
    metadata: {
      name: 'web-1',
      namespace: 'default',
      labels: { app: 'web' },
      annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false', 'example.org/checksum': 'x' },
      ownerReferences: [{ ...owner, controller: false }, owner],
    },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'nginx',
          env: [{ name: 'PASSWORD', value: 'secret' }],
          resources: { requests, limits: { cpu: '1' } },
          ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 81 }],
        },
      ],
      volumes: [
        { name: 'cache', emptyDir: {} },
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      ],
      nodeSelector: { disk: 'ssd' },
      serviceAccountName: 'web',
    },
    status: {
      phase: 'Pending',
      conditions: [
        { type: 'Initialized', status: 'True' },
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' },
      ],
    },
  };

  expect(trimPod(pod)).toEqual({
    metadata: {
      name: 'web-1',
      namespace: 'default',
      labels: { app: 'web' },
      annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' },
      ownerReferences: [owner],
    },
    spec: {
      containers: [{ name: 'main', resources: { requests }, ports: [{ containerPort: 81, hostPort: 81 }] }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      nodeSelector: { disk: 'ssd' },
    },
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
    },
  });
});
