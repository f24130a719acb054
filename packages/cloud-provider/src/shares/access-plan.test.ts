import type { AccessRule } from '@fairway/openstack/types/shared-file-system';
import { expect, test } from 'vitest';
import { accessPlan } from './access-plan.ts';

/**
 * A rule for the address in the string. `10.0.0.1` means a rule created by Fairway, and `-10.0.0.1` a foreign rule. A
 * suffix such as `!error` is the rule's state, `!none` means that it has no state, and `ro` is its level.
 */
function aRule(text: string): AccessRule {
  const [, foreign, address = '', level, state] = /^(-?)([^ !]+)( ro)?(?: ?!(\w+))?$/.exec(text) ?? [];
  return {
    id: text,
    access_type: /^[0-9]/.test(address) ? 'ip' : 'user',
    access_to: address,
    access_level: level ? 'ro' : 'rw',
    state: state === 'none' ? null : (state ?? 'active'),
    metadata: foreign ? {} : { own: 'yes' },
  };
}

const isOwn = ({ metadata }: AccessRule) => metadata['own'] === 'yes';
const one = '10.0.0.1';

test.each<{
  nodes: string[];
  rules: string[];
  allow?: string[];
  deny?: string[];
  failed?: string[];
  pending?: boolean;
}>([
  { nodes: [], rules: [] },
  { nodes: [one, '10.0.0.2'], rules: [], allow: [one, '10.0.0.2'] },
  { nodes: [one], rules: [one] },
  { nodes: [one], rules: ['10.0.0.1/32'] },
  { nodes: [one], rules: [one, '10.0.0.2'], deny: ['10.0.0.2'] },
  { nodes: [], rules: ['10.0.0.2 !error', '10.0.0.3 !applying'], deny: ['10.0.0.2 !error', '10.0.0.3 !applying'] },
  { nodes: [one], rules: ['10.0.0.1 !queued_to_apply'], pending: true },
  { nodes: [one], rules: ['10.0.0.1 !applying'], pending: true },
  { nodes: [one], rules: ['10.0.0.1 !error'], failed: ['10.0.0.1 !error'] },
  // The rule must be deleted before it can be added again.
  { nodes: [one], rules: ['10.0.0.1 !denying'], pending: true },
  { nodes: [], rules: ['10.0.0.1 !queued_to_deny'] },
  { nodes: [one], rules: ['10.0.0.1 !none'], pending: true },
  { nodes: [], rules: ['10.0.0.1 !none'] },
  { nodes: [one], rules: ['10.0.0.1 ro'], deny: ['10.0.0.1 ro'] },
  // Foreign rules stay, and may already give a node access.
  { nodes: [], rules: ['-10.0.0.1', '-robert', '-0.0.0.0/0'] },
  { nodes: [one], rules: ['-10.0.0.1'] },
  { nodes: [one], rules: ['-10.0.0.1 !denying'], pending: true },
  { nodes: [one], rules: ['-0.0.0.0/0', '-robert'], allow: [one] },
])(
  'plans access for nodes $nodes and rules $rules',
  ({ nodes, rules, allow = [], deny = [], failed = [], pending = false }) => {
    const plan = accessPlan({ addresses: new Set(nodes), level: 'rw' }, rules.map(aRule), isOwn);

    expect({
      allow: plan.allow,
      deny: plan.deny.map(({ id }) => id),
      failed: plan.failed.map(({ id }) => id),
      pending: plan.isInProgress,
    }).toEqual({ allow, deny, failed, pending });
  },
);
