import { Facts } from './facts.tsx';
import { findingsOf } from './findings.ts';
import { Findings } from './findings-list.tsx';
import { NodeMap } from './node-map.tsx';
import { Operation } from './operation.tsx';
import { PoolsPanel } from './pools-panel.tsx';
import type { TabProps } from './tab.ts';
import { Unfinished } from './unfinished.tsx';

/** How the cluster is: what is being done, what needs attention, its nodes and its pools. */
export function Overview({ cluster, pools, machines }: TabProps) {
  return (
    <div className="fw-overview">
      <Unfinished key={cluster.metadata.uid} cluster={cluster} />
      <Operation cluster={cluster} />
      <Findings findings={findingsOf(cluster, pools ?? [], machines ?? [])} />
      <NodeMap cluster={cluster} pools={pools} machines={machines} />
      <PoolsPanel cluster={cluster} pools={pools} />
      <Facts cluster={cluster} />
    </div>
  );
}
