import { excessiveGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import { requestMatchOf } from './gateways/route-match.ts';
import { routedRestrictionOf } from './l7/routed-restrictions.ts';
import { canonicalAddress } from './load-balancers/families.ts';
import { rangesOf } from './load-balancers/source-ranges.ts';
import { restrictionOf } from './load-balancers/unread-annotations.ts';
import { tryParseJsonObject } from './shares/json-object.ts';
import { isNetwork } from './shares/share-parameters.ts';
import { goDurationMs } from './standalone/cloud-conf/go-duration.ts';

const match = { headers: [], queryParams: [], method: undefined };

/** Parsers of objects in tenants' clusters. Each field may be up to a megabyte long. */
test.each<[string, (text: string) => unknown]>([
  ['an address', canonicalAddress],
  ['a range of addresses', (text) => rangesOf([text], 'a', 4, 6)],
  ['ranges of addresses', (text) => rangesOf(text.split(','), 'a', 4, 6)],
  ['a restriction of a load balancer', (text) => restrictionOf(text, text)],
  ['a restriction of an Ingress', (text) => routedRestrictionOf(text, text)],
  [
    'the regular expression of a path',
    (text) => requestMatchOf({ ...match, path: { type: 'RegularExpression', value: text } }),
  ],
  ['a path', (text) => requestMatchOf({ ...match, path: { type: 'PathPrefix', value: `/${text}` } })],
  [
    'a header',
    (text) =>
      requestMatchOf({
        ...match,
        path: { type: 'Exact', value: '/' },
        headers: [{ type: 'RegularExpression', name: text, value: text }],
      }),
  ],
  ['a record of a share', tryParseJsonObject],
  ['a network of a share', isNetwork],
  ['a duration', goDurationMs],
])('reads %s in linear time', async (_, read) => {
  expect(await excessiveGrowth(read, { bare: true })).toBeUndefined();
});
