import { excessiveGrowth } from '@fairway/base/testing/growth';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { groupVersionOf } from '../aggregation/remote-api.ts';
import { shortenLine } from '../audit/short-line.ts';
import { acceptedEncoding } from './accepted-encoding.ts';
import { parseAccept } from './negotiation.ts';
import { parseRevision } from './revision.ts';
import { routeOf } from './router.ts';
import { splitTarget } from './split-target.ts';
import { duplicateKeysMessage } from './yaml-duplicates.ts';

test.each<[string, (text: string) => unknown]>([
  ['Accept', parseAccept],
  ['Accept-Encoding', (text) => acceptedEncoding(text, ['gzip'])],
  ['the target of a request', (text) => splitTarget(`/a?${text}`)],
  ['a path', (text) => routeOf('GET', `/${text}`, new URLSearchParams())],
  ['the path of an API group', (text) => groupVersionOf(`/apis/${text}`)],
  ['a resource version', parseRevision],
  ['YAML with duplicate keys', (text) => duplicateKeysMessage(text, {})],
  ['a line of an audit log', shortenLine],
  ['the claims of a token', (text) => decodeJwt(`e30.${text}.a`)],
  ['the header of a token', decodeProtectedHeader],
])('reads %s in linear time', async (_, read) => {
  expect(await excessiveGrowth(read, { bare: true })).toBeUndefined();
});
