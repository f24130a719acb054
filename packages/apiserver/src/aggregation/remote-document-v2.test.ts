import { expect, test } from 'vitest';
import type { DocumentV2 } from '../openapi/document-v2.ts';
import { encodeDocument } from '../openapi/gnostic.ts';
import { remoteDocumentV2, withRemoteDocuments } from './remote-document-v2.ts';

const GROUP_VERSION = { group: 'example.com', version: 'v1' };
const kind = { 'x-kubernetes-group-version-kind': [{ ...GROUP_VERSION, kind: 'Thing' }] };
const to = (name: string) => ({ $ref: `#/definitions/${name}` });
const get = (name: string) => ({ get: { responses: { 200: { description: 'OK', schema: to(name) } } } });

/** A document from another server, with more group versions than requested. */
const DOCUMENT = JSON.stringify({
  swagger: '2.0',
  paths: {
    '/apis/example.com/v1/things': get('ThingList'),
    '/apis/example.com/v1/': get('Resources'),
    '/apis/example.com/v10/things': get('Other'),
    '/apis/apps/v1/deployments': get('Other'),
  },
  definitions: {
    ThingList: { properties: { items: { items: to('Thing') } } },
    Thing: { properties: { metadata: to('Meta') }, ...kind },
    Unlisted: { type: 'string', ...kind },
    Meta: { description: 'theirs', properties: { self: to('Meta') } },
    Resources: { type: 'object' },
    Other: { type: 'object' },
    ['__proto__']: { type: 'object', ...kind },
  },
});

const LOCAL: DocumentV2 = {
  swagger: '2.0',
  info: { title: 'Kubernetes', version: 'unversioned' },
  paths: { '/apis/example.com/v1/': { parameters: [] } },
  definitions: { Meta: { description: 'ours' }, Resources: { type: 'object' } },
};

test('includes only the parts of a document that concern a group version', () => {
  const document = remoteDocumentV2(DOCUMENT, [GROUP_VERSION]);

  expect([...(document?.paths.keys() ?? [])]).toEqual(['/apis/example.com/v1/things', '/apis/example.com/v1/']);
  expect([...(document?.definitions.keys() ?? [])]).toEqual(['ThingList', 'Thing', 'Unlisted', 'Meta', 'Resources']);
});

test("keeps this server's own paths and definitions, and renames other servers' definitions with the same name", () => {
  const document = remoteDocumentV2(DOCUMENT, [GROUP_VERSION]);
  const merged = withRemoteDocuments(LOCAL, document ? [document] : []);

  expect(merged.paths['/apis/example.com/v1/']).toEqual({ parameters: [] });
  expect(merged.paths['/apis/example.com/v1/things']?.get?.responses['200']?.schema).toEqual(to('ThingList'));
  expect(merged.definitions).toMatchObject({
    Meta: { description: 'ours' },
    Meta_v2: { description: 'theirs', properties: { self: to('Meta_v2') } },
    Thing: { properties: { metadata: to('Meta_v2') } },
    Resources: { type: 'object' },
  });
  expect(merged.definitions).not.toHaveProperty('Resources_v2');
  expect(encodeDocument(merged).length).toBeGreaterThan(encodeDocument(LOCAL).length);
});

test('distinguishes definitions to which several servers give the same name', () => {
  const documentOf = (type: string) => {
    const definitions = {
      Thing: { properties: { own: to('Own') }, ...kind },
      Own: { type },
      Own_v2: { type: 'null', ...kind },
    };
    const document = remoteDocumentV2(JSON.stringify({ paths: {}, definitions }), [GROUP_VERSION]);
    return document ? [document] : [];
  };
  const documents = ['string', 'number', 'number', 'string', 'integer'].flatMap(documentOf);
  const { definitions } = withRemoteDocuments(LOCAL, documents);

  expect(definitions).toMatchObject({
    Own: { type: 'string' },
    Own_v2: { type: 'null' },
    Own_v3: { type: 'number' },
    Own_v4: { type: 'integer' },
  });
});

test.each([
  { reason: 'invalid JSON', text: '{' },
  { reason: 'paths that are not an object', text: '{"paths":[]}' },
  { reason: 'invalid operations', text: '{"paths":{"/apis/example.com/v1/x":{"get":5}},"definitions":{}}' },
  { reason: 'excessive nesting', text: `{"paths":{},"definitions":${'{"a":'.repeat(300)}1${'}'.repeat(300)}}` },
  {
    reason: 'an excessive number of values',
    text: `{"paths":{},"definitions":{"a":{"enum":[${'[],'.repeat(10_000)}1]}}}`,
  },
])('ignores a document with $reason', ({ text }) => {
  expect(remoteDocumentV2(text, [GROUP_VERSION])).toBeUndefined();
});
