import { describe, expect, it } from 'vitest';
import { SHIPPED_PLANS } from '../data/plans.ts';
import { etcdQuotaBytes } from './etcd-quota.ts';

const [free, standard] = SHIPPED_PLANS.map((plan) => plan.spec.etcd);
const MIB = 2 ** 20;

describe('etcdQuotaBytes', () => {
  it.each([
    { rule: free, nodes: 0, previous: 0, bytes: 10 * MIB, reason: 'base' },
    { rule: free, nodes: 3, previous: 0, bytes: 89_128_960, reason: "OVHcloud's figure for three nodes" },
    { rule: free, nodes: 15, previous: 0, bytes: 385 * MIB, reason: 'below the cap' },
    { rule: free, nodes: 16, previous: 0, bytes: 400 * MIB, reason: 'the cap' },
    { rule: free, nodes: 1, previous: 89_128_960, bytes: 89_128_960, reason: 'the quota never shrinks' },
    { rule: free, nodes: 4, previous: 89_128_960, bytes: 110 * MIB, reason: 'the quota grows' },
    { rule: standard, nodes: 0, previous: 0, bytes: 8192 * MIB, reason: 'dedicated' },
    { rule: standard, nodes: 500, previous: 0, bytes: 8192 * MIB, reason: 'regardless of the nodes' },
  ])('is $bytes for $nodes nodes if it was $previous before ($reason)', ({ rule, nodes, previous, bytes }) => {
    expect(rule && etcdQuotaBytes(rule, nodes, previous)).toBe(bytes);
  });
});
