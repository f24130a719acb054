import { USAGE_RESOURCES, type UsageRecordStatus, type UsageResource } from '../../kinds/usage-record.ts';
import { pluralize } from '../pluralize.ts';

const UNIT_BY_RESOURCE: Readonly<Record<UsageResource, string>> = {
  ControlPlane: 'control plane',
  Node: 'node',
  RootVolume: 'root volume',
  Volume: 'volume',
  LoadBalancer: 'load balancer',
  FloatingIP: 'floating IP',
};

/** Human-readable summary of running resources: `1 control plane, 3 nodes`. */
export function usageSummary({ intervals = [] }: UsageRecordStatus): string {
  const running = intervals.filter(({ endTime }) => endTime === undefined);
  return USAGE_RESOURCES.map((resource) => ({
    word: UNIT_BY_RESOURCE[resource],
    count: running.filter((each) => each.resource === resource).length,
  }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => pluralize(count, word))
    .join(', ');
}
