import { expect, test } from 'vitest';
import { replicaIdentity } from './share.ts';

test.each([
  { host: 'fairway-7d9f8c-x2x4z', identity: 'fairway-7d9f8c-x2x4z-iiiii' },
  { host: 'Node 1.example.org', identity: 'node-1-example-org-iiiii' },
  { host: '---', identity: 'replica-iiiii' },
  { host: `${'a'.repeat(39)}-b`, identity: `${'a'.repeat(39)}-iiiii` },
])('a replica on $host is called $identity', ({ host, identity }) => {
  expect(replicaIdentity(() => 0.5, host)).toBe(identity);
});
