import { excessiveGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import { parseDestination } from './egress/connect-request.ts';
import { parseEgressTarget } from './egress/egress-policy.ts';
import { canonicalAddress, isPublicAddress } from './egress/special-addresses.ts';
import { handleAccessReview, handleTokenReview } from './reviews.ts';

const noUser = () => Promise.resolve(undefined);
const tokenReview = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };
const accessReview = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' };

test.each<[string, (text: string) => unknown]>([
  ['the destination of a tunnel', parseDestination],
  ['an egress target', parseEgressTarget],
  ['an address', canonicalAddress],
  ['an address that may be public', isPublicAddress],
  ['a token', (text) => handleTokenReview({ ...tokenReview, spec: { token: text } }, noUser)],
  ['groups', (text) => handleAccessReview({ ...accessReview, spec: { groups: text.split(',') } }, undefined)],
])('reads %s in linear time', async (_, read) => {
  expect(await excessiveGrowth(read, { bare: true })).toBeUndefined();
});
