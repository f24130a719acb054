import { ClusterFacts } from './cluster-facts.tsx';
import { findingsOf } from './findings.ts';
import { Findings } from './findings-list.tsx';
import { NodeMap } from './node-map.tsx';
import { Operation } from './operation.tsx';
import { PoolsPanel } from './pools-panel.tsx';
import type { TabProps } from './tab.ts';
import { UnfinishedNotice } from './unfinished-creation.tsx';

/** A summary of the cluster: the current operation, findings, nodes and pools. */
export function Overview({ cluster, pools, machines }: TabProps) {
  return (
    <div className="fw-overview">
      <UnfinishedNotice key={cluster.metadata.uid} cluster={cluster} />
      <Operation cluster={cluster} />
      <Findings findings={findingsOf(cluster, pools ?? [], machines ?? [])} />
      <NodeMap cluster={cluster} pools={pools} machines={machines} />
      <PoolsPanel cluster={cluster} pools={pools} />
      <ClusterFacts cluster={cluster} />
    </div>
  );
}
