import { excessiveGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import { cookieOf } from '../console/session-cookie.ts';
import { parseSignIn } from '../console/sign-in-request.ts';
import { parseWatches } from '../console/watch-request.ts';
import { parseRequestTarget } from '../management/request-target.ts';
import { parseReview } from '../webhook/admission-review.ts';

test.each<[string, (text: string) => unknown]>([
  ['a cookie', (text) => cookieOf(text, 'a')],
  ['a sign-in', parseSignIn],
  ['watches of a page', parseWatches],
  ['a path of a watch', (text) => parseWatches(JSON.stringify({ watches: [{ id: 1, path: `/api/v1/${text}` }] }))],
  ['the target of a request', (text) => parseRequestTarget(`/${text}`)],
  ['a review', parseReview],
])('reads %s in linear time', async (_, read) => {
  expect(await excessiveGrowth(read, { bare: true })).toBeUndefined();
});
