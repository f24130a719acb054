import type { AccessRule } from '@fairway/openstack/types/shared-file-system';

export interface DesiredAccess {
  /** IPv4 addresses of nodes. */
  readonly addresses: ReadonlySet<string>;
  readonly level: 'rw' | 'ro';
}

/** The required changes to a share's access rules. */
export interface AccessPlan {
  /** Addresses that need a rule. */
  readonly allow: readonly string[];
  /** Rules that are no longer needed. */
  readonly deny: readonly AccessRule[];
  /** Needed rules that Manila failed to apply. */
  readonly failed: readonly AccessRule[];
  /** Whether a needed rule is in progress or blocked by another rule. */
  readonly isInProgress: boolean;
}

/**
 * Plans the changes to a share's rules. Foreign rules are left alone, and suffice for a node's address if they match. A
 * rule with a different access level must be removed before the right rule can be added, because Manila has one rule
 * per address. Pure.
 */
export function accessPlan(
  { addresses, level }: DesiredAccess,
  rules: readonly AccessRule[],
  isOwn: (rule: AccessRule) => boolean,
): AccessPlan {
  const rulesByNode = new Map<string, AccessRule>();
  for (const rule of rules) {
    if (isForNode(rule, addresses)) rulesByNode.set(addressOf(rule), rule);
  }
  const isNeeded = (rule: AccessRule) => rule.access_level === level && isForNode(rule, addresses);
  const own = rules.filter((rule) => isOwn(rule) && !isBeingRemoved(rule));
  const needed = own.filter(isNeeded);
  return {
    allow: [...addresses].filter((address) => !rulesByNode.has(address)),
    deny: own.filter((rule) => !isNeeded(rule)),
    failed: needed.filter(({ state }) => state === 'error'),
    isInProgress: needed.some(isPending) || [...rulesByNode.values()].some(isBeingRemoved),
  };
}

function isForNode(rule: AccessRule, addresses: ReadonlySet<string>): boolean {
  return rule.access_type === 'ip' && addresses.has(addressOf(rule));
}

/** The subject of a rule, if it is an address. */
export function addressOf({ access_to }: AccessRule): string {
  return access_to.replace(/\/32$/, '');
}

function isPending({ state }: AccessRule): boolean {
  return state === 'queued_to_apply' || state === 'applying';
}

function isBeingRemoved({ state }: AccessRule): boolean {
  return state === 'queued_to_deny' || state === 'denying' || state === null;
}
