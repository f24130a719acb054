import type { AccessRule } from '@fairway/openstack/types/shared-file-system';

export interface WantedAccess {
  /** IPv4 addresses of nodes. */
  readonly addresses: ReadonlySet<string>;
  readonly level: 'rw' | 'ro';
}

/** What is to be done about the rules of a share. */
export interface AccessPlan {
  /** Addresses that need a rule. */
  readonly allow: readonly string[];
  /** Rules that nobody needs any more. */
  readonly deny: readonly AccessRule[];
  /** Rules that are needed, and that Manila could not apply. */
  readonly failed: readonly AccessRule[];
  /** Whether the cloud is at work on a rule that is needed, or stands in the way of one. */
  readonly isUnderWay: boolean;
}

/**
 * Rules that are not Fairway's stay as they are, and one of them for a node's address will do. A rule of another level has to go before the right one
 * can come, for Manila has one rule for an address. Pure.
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

/** Whom a rule is for; the address alone where that is one. */
export function addressOf({ access_to }: AccessRule): string {
  return access_to.replace(/\/32$/, '');
}

function isComing({ state }: AccessRule): boolean {
  return state === 'queued_to_apply' || state === 'applying';
}

function isLeaving({ state }: AccessRule): boolean {
  return state === 'queued_to_deny' || state === 'denying' || state === null;
}
