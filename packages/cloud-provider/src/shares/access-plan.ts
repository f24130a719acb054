import type { AccessRule } from '@fairway/openstack/types/shared-file-system';

export interface WantedAccess {
  /** IPv4 addresses of nodes. */
  readonly addresses: ReadonlySet<string>;
  readonly level: 'rw' | 'ro';
}

/** The required changes of a share's access rules. */
export interface AccessPlan {
  /** Addresses that need a rule. */
  readonly allow: readonly string[];
  /** Rules that are no longer needed. */
  readonly deny: readonly AccessRule[];
  /** Needed rules that Manila failed to apply. */
  readonly failed: readonly AccessRule[];
  /** Whether a needed rule is in progress or blocked by another one. */
  readonly isUnderWay: boolean;
}

/**
 * Rules of other owners are left alone, and satisfy a node's address if they match. A rule with another access level must be removed before the right one can
 * be added, because Manila has one rule per address. Pure.
 */
export function accessPlan(
  { addresses, level }: WantedAccess,
  rules: readonly AccessRule[],
  isOwn: (rule: AccessRule) => boolean,
): AccessPlan {
  const ofNodes = new Map<string, AccessRule>();
  for (const rule of rules) {
    if (isForNode(rule, addresses)) ofNodes.set(addressOf(rule), rule);
  }
  const isNeeded = (rule: AccessRule) => rule.access_level === level && isForNode(rule, addresses);
  const own = rules.filter((rule) => isOwn(rule) && !isLeaving(rule));
  const needed = own.filter(isNeeded);
  return {
    allow: [...addresses].filter((address) => !ofNodes.has(address)),
    deny: own.filter((rule) => !isNeeded(rule)),
    failed: needed.filter(({ state }) => state === 'error'),
    isUnderWay: needed.some(isComing) || [...ofNodes.values()].some(isLeaving),
  };
}

function isForNode(rule: AccessRule, addresses: ReadonlySet<string>): boolean {
  return rule.access_type === 'ip' && addresses.has(addressOf(rule));
}

/** The subject of a rule; only the address if it is one. */
export function addressOf({ access_to }: AccessRule): string {
  return access_to.replace(/\/32$/, '');
}

function isComing({ state }: AccessRule): boolean {
  return state === 'queued_to_apply' || state === 'applying';
}

function isLeaving({ state }: AccessRule): boolean {
  return state === 'queued_to_deny' || state === 'denying' || state === null;
}
