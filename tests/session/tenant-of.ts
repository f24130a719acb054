import { writeFile } from 'node:fs/promises';
import { API_VERSION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { KUBECONFIG_SUBRESOURCE, type KubeconfigRequest } from '@fairway/api/kinds/kubeconfig-request';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { clientOf } from './client-of.ts';

/** A client for a tenant's cluster, with a kubeconfig that is written to `path`. The caller closes it. */
export async function tenantOf(api: KubeClient, name: string, path: string): Promise<KubeClient> {
  const kubeconfigRequest: KubeconfigRequest = {
    apiVersion: API_VERSION,
    kind: 'KubeconfigRequest',
    metadata: {},
    spec: { expirationSeconds: 86_400 },
  };
  const options = { namespace: 'default' };
  const { status } = await api
    .resource(clusters)
    .createSubresource(name, KUBECONFIG_SUBRESOURCE, kubeconfigRequest, options);
  await writeFile(path, status?.kubeconfig ?? '', { mode: 0o600 });
  return clientOf(path);
}
