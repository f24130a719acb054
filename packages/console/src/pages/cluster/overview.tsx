import { plans } from '../../api/resources.ts';
import { useResource } from '../../api/use-resources.ts';
import { PlanLimitsPanel } from '../../limits/plan-limits-panel.tsx';
import { ClusterFacts } from './cluster-facts.tsx';
import { findingsOf } from './findings.ts';
import { Findings } from './findings-list.tsx';
import { NodeMap } from './node-map.tsx';
import { Operation } from './operation.tsx';
import { PoolsPanel } from './pools-panel.tsx';
import type { TabProps } from './tab.ts';
import { UnfinishedNotice } from './unfinished-creation.tsx';

/** A summary of the cluster: the current operation, findings, nodes and pools, and the limits of its plan. */
export function Overview({ cluster, pools, machines }: TabProps) {
  const plan = useResource(plans, undefined, cluster.spec.plan).object?.spec;
  return (
    <div className="fw-overview">
      <UnfinishedNotice key={cluster.metadata.uid} cluster={cluster} />
      <Operation cluster={cluster} />
      <Findings findings={findingsOf(cluster, pools ?? [], machines ?? [])} />
      <NodeMap cluster={cluster} pools={pools} machines={machines} />
      <PoolsPanel cluster={cluster} pools={pools} />
      <ClusterFacts cluster={cluster} />
      {plan && <PlanLimitsPanel plan={plan} isOwnPanel />}
    </div>
  );
}
