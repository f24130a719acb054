import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Namespaces, PersistentVolumeClaims, Pods, Services } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';

const NAMESPACE = 'default';

/** Makes a tenant's cluster request a load balancer, `web`, and a volume of 3 GiB, `data`, which a pod uses. */
export async function createCloudLoad(client: KubeClient): Promise<void> {
  await eventuallyObject(client.resource(Namespaces), { name: NAMESPACE }, () => true);
  const ports = [{ name: 'http', port: 80, targetPort: 8080, nodePort: 30_080, protocol: 'TCP' }];
  await client.resource(Services).create({
    metadata: { name: 'web', namespace: NAMESPACE },
    spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports },
  });
  await client.resource(PersistentVolumeClaims).create({
    metadata: { name: 'data', namespace: NAMESPACE },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } } },
  });
  await client.resource(Pods).create({
    metadata: { name: 'db', namespace: NAMESPACE },
    spec: {
      containers: [{ name: 'main', image: 'db', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });
}
