import { type Cause, MINUTE_MS } from './cause.ts';

/** Reports about exhausted quotas. */
export const QUOTA_CAUSES: readonly Cause[] = [
  {
    cause: 'The quota of instances is used up',
    by: 'a quota of instances',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'QuotaExceeded',
    message:
      '1/4 nodes are ready; {machine}: compute: quota exceeded for instances: 1 of 1 used, 1 more requested; free resources or request a larger quota; Fairway then continues automatically',
  },
  {
    cause: 'The quota of cores is used up',
    by: 'a quota of cores',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'QuotaExceeded',
    message:
      '1/4 nodes are ready; {machine}: compute: quota exceeded for cores: 2 of 2 used, 2 more requested; free resources or request a larger quota; Fairway then continues automatically',
  },
  {
    cause: 'The quota of memory is used up',
    by: 'a quota of ram',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'QuotaExceeded',
    message:
      '1/4 nodes are ready; {machine}: compute: quota exceeded for memory in MiB: 8192 of 8192 used, 8192 more requested; free resources or request a larger quota; Fairway then continues automatically',
  },
  {
    cause: 'The quota of ports is used up',
    by: 'a quota of ports',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'QuotaExceeded',
    message:
      '1/4 nodes are ready; {machine}: compute: quota exceeded for ports: 2 of 2 used, 1 more requested; free resources or request a larger quota; Fairway then continues automatically',
  },
  {
    cause: 'The quota of floating IPs is used up',
    by: 'a quota of floating IPs',
    kind: 'Machine',
    phase: 'Ready',
    condition: 'FloatingIPReady',
    reason: 'QuotaExceeded',
    message:
      'network: quota exceeded for floating IPs: 0 of 0 used, 1 more requested; free resources or request a larger quota; Fairway then continues automatically',
  },
  {
    cause: 'The quota of server groups is used up',
    by: 'a quota of server groups',
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'QuotaExceeded',
    message:
      'compute: quota exceeded for server groups: 0 of 0 used, 1 more requested; free resources or request a larger quota; Fairway then continues automatically',
  },
  {
    cause: 'The quota of networks is used up',
    by: 'a quota of network',
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'QuotaExceeded',
    message:
      'network: quota exceeded for networks: 0 of 0 used, 1 more requested; free resources or request a larger quota; Fairway then continues automatically',
  },
  {
    cause: 'The quota of routers is used up',
    by: 'a quota of router',
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'QuotaExceeded',
    message:
      'network: quota exceeded for routers: 0 of 0 used, 1 more requested; free resources or request a larger quota; Fairway then continues automatically',
  },
  {
    cause: 'The quota of security group rules is used up',
    by: 'a quota of security_group_rule',
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'QuotaExceeded',
    message:
      'network: quota exceeded for security group rules: 6 of 0 used, 4 more requested; free resources or request a larger quota; Fairway then continues automatically',
  },
];
