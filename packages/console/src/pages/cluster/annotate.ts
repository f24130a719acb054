import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusters } from '../../api/resources.ts';
import { change } from '../../api/write.ts';

/** Asks for something by an annotation of the cluster that was looked at, and how kubectl does it. */
export function annotating(
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
