import { expect, test } from 'vitest';
import { type TenantNode, trimNode } from './node.ts';

test('truncates what a kubelet reports about itself', () => {
  const long = 'x'.repeat(1_000_000);
  const node: TenantNode = {
    metadata: { name: 'n1' },
    status: {
      conditions: [{ type: 'Ready', status: 'False', message: long }],
      nodeInfo: { kubeletVersion: long },
      addresses: Array.from({ length: 10_000 }, () => ({ type: 'InternalIP', address: '10.0.0.1' })),
    },
  };

  expect(JSON.stringify(trimNode(node)).length).toBeLessThan(4_000);
});
