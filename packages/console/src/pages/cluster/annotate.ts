import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusters } from '../../api/resources.ts';
import { change } from '../../api/write.ts';

/** Asks for something by an annotation of the cluster that was looked at, and how kubectl does it. */
export function annotating(
  { metadata: { namespace = '', name = '', uid } }: Cluster,
  key: string,
  value: string,
): { readonly command: string; readonly run: () => Promise<unknown> } {
  return {
    command: `kubectl -n ${namespace} annotate cluster ${name} ${key}=${value} --overwrite`,
    run: () => change(clusters, { namespace, name }, { metadata: { uid, annotations: { [key]: value } } }),
  };
}
