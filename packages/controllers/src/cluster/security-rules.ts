import type { SecurityGroupRule, SecurityGroupRuleCreate } from '@fairway/openstack/types/security-group';

/** Marks Fairway's rules in a node security group; other rules are not touched. */
const RULE_PREFIX = 'Fairway: ';

/** Ports of Services of type NodePort and LoadBalancer (kube-apiserver's --service-node-port-range default). */
const NODE_PORTS = { min: 30000, max: 32767 };

export interface DesiredSecurity {
  readonly groupID: string;
  readonly nodesCIDR: string;
  /** CIDR of the subnet from which load balancers reach node ports, if it is not the nodes' own. */
  readonly loadBalancersCIDR?: string | undefined;
  /** Whether nodes have floating IPs, through which their node ports should be reachable. */
  readonly publicNodePorts: boolean;
}

type SecurityRule = Pick<
  SecurityGroupRule,
  'protocol' | 'port_range_min' | 'port_range_max' | 'remote_ip_prefix' | 'remote_group_id'
>;

/**
 * The nodes' ingress rules. They allow everything between nodes (overlay, kubelet, NodePorts), node ports and
 * ping from their subnet, node ports from the load balancers' subnet, and node ports from anywhere only if nodes have
 * floating IPs. Neutron's own egress rules are retained.
 */
export function nodeRules(desired: DesiredSecurity): readonly SecurityGroupRuleCreate[] {
  const { min, max } = NODE_PORTS;
  const rules: SecurityGroupRuleCreate[] = [
    ingress(desired, 'from nodes of the cluster', { remote_group_id: desired.groupID }),
    ingress(desired, 'ping from the subnet', { protocol: 'icmp', remote_ip_prefix: desired.nodesCIDR }),
  ];
  for (const source of nodePortSources(desired)) {
    for (const protocol of ['tcp', 'udp']) {
      const ports = { protocol, port_range_min: min, port_range_max: max, remote_ip_prefix: source };
      rules.push(ingress(desired, `${protocol} node ports`, ports));
    }
  }
  return rules;
}

function nodePortSources({ nodesCIDR, loadBalancersCIDR, publicNodePorts }: DesiredSecurity): ReadonlySet<string> {
  if (publicNodePorts) return new Set(['0.0.0.0/0']);
  return new Set([nodesCIDR, ...(loadBalancersCIDR === undefined ? [] : [loadBalancersCIDR])]);
}

function ingress(
  desired: DesiredSecurity,
  purpose: string,
  rule: Partial<SecurityGroupRuleCreate>,
): SecurityGroupRuleCreate {
  return {
    security_group_id: desired.groupID,
    direction: 'ingress',
    ethertype: 'IPv4',
    description: `${RULE_PREFIX}${purpose}`,
    ...rule,
  };
}

export interface RuleChanges {
  readonly create: readonly SecurityGroupRuleCreate[];
  readonly deleteIDs: readonly string[];
}

/** The changes that give a group the desired rules; an equivalent rule with a different owner is sufficient. */
export function ruleChanges(desired: DesiredSecurity, present: readonly SecurityGroupRule[]): RuleChanges {
  const desiredRules = nodeRules(desired);
  const ingressRules = present.filter((rule) => rule.direction === 'ingress' && rule.ethertype === 'IPv4');
  const create = desiredRules.filter((rule) => !ingressRules.some((other) => isSameRule(rule as SecurityRule, other)));
  const surplus = ingressRules.filter(
    (rule) =>
      rule.description?.startsWith(RULE_PREFIX) &&
      !desiredRules.some((other) => isSameRule(other as SecurityRule, rule)),
  );
  return { create, deleteIDs: surplus.map(({ id }) => id) };
}

function isSameRule(a: SecurityRule, b: SecurityRule): boolean {
  return (
    (a.protocol ?? null) === (b.protocol ?? null) &&
    (a.port_range_min ?? null) === (b.port_range_min ?? null) &&
    (a.port_range_max ?? null) === (b.port_range_max ?? null) &&
    anySource(a) === anySource(b) &&
    (a.remote_group_id ?? null) === (b.remote_group_id ?? null)
  );
}

/** Neutron returns "from anywhere" as null or as 0.0.0.0/0, regardless of which was sent. */
function anySource(rule: SecurityRule): string | null {
  const prefix = rule.remote_ip_prefix ?? null;
  return prefix === '0.0.0.0/0' && !rule.remote_group_id ? null : prefix;
}
