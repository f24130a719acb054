import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusters } from '../../api/resources.ts';
import { change } from '../../api/write.ts';

/** Requests an operation by annotating the cluster that was read, with the equivalent kubectl command. */
export function annotateAction(
  cluster: Cluster,
  key: string,
  value: string,
): { readonly command: string; readonly run: () => Promise<unknown> } {
  const { namespace = '', name = '' } = cluster.metadata;
  return {
    command: `kubectl -n ${namespace} annotate cluster ${name} ${key}=${value} --overwrite`,
    run: () => change(clusters, cluster, { metadata: { annotations: { [key]: value } } }),
  };
}
