import type { Cluster } from '@fairway/api/kinds/cluster';
import { KUBECONFIG_REQUEST_KIND, kubeconfigRequestSchema } from '@fairway/api/kinds/kubeconfig-request';
import type { CustomSubresource } from '@fairway/apiserver/server/resource';
import { type KubeconfigIssuerOptions, kubeconfigIssuer } from './kubeconfig-issuer.ts';

/** `clusters/kubeconfig` on the embedded server. */
export function kubeconfigSubresource(options: KubeconfigIssuerOptions): CustomSubresource {
  const issue = kubeconfigIssuer(options);
  return {
    kind: KUBECONFIG_REQUEST_KIND,
    schema: kubeconfigRequestSchema(),
    create: ({ body, parent, user, dryRun }) => issue({ body, cluster: parent as Cluster, user, dryRun }),
  };
}
