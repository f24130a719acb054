import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';

/** A client for the API with the kubeconfig at `path`. The caller closes it. */
export async function clientOf(path: string): Promise<KubeClient> {
  const { transport } = await loadKubeConnection({ path });
  return new KubeClient(new HttpsTransport(transport));
}
