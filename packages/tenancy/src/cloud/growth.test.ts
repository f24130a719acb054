import { excessiveGrowth } from '@fairway/base/testing/growth';
import { serverFaultKind } from '@fairway/openstack/compute/server-fault';
import { readErrorBody } from '@fairway/openstack/http/error-body';
import { expect, test } from 'vitest';
import { certificateMark } from './certificate-name.ts';
import * as ownership from './ownership.ts';

const ID = '5b3a4f0e000040008000000000000000';
const words = (text: string) => text.split(/[ ,;:=/]/);
const tagged = (text: string) => ({ tags: words(text), project_id: ID });
const tagOf = (text: string) => ({ tags: [text], project_id: ID });

/** Names, tags and descriptions that members of a project write to the cloud, and the cloud's error messages. */
test.each<[string, (text: string) => unknown]>([
  ['tags of a server', (text) => ownership.serverOwner(tagged(text))],
  ['a tag of a load balancer', (text) => ownership.serviceOwner(tagOf(text), ID)],
  ['tags of a load balancer', (text) => ownership.serviceOwner(tagged(text), ID)],
  ['a tag of an ingress', (text) => ownership.ingressOwner(tagOf(text), ID)],
  ['a tag of a gateway', (text) => ownership.gatewayOwner(tagOf(text), ID)],
  ['the users of a shared load balancer', (text) => ownership.sharersOf(tagged(text), ID)],
  ['a description of a floating IP', ownership.serviceOfDescription],
  ['a description of a network', ownership.clusterOfDescription],
  ['a description of a port', ownership.machineOfDescription],
  ['the name of a certificate', (text) => certificateMark({ name: text })],
  ['an error in JSON', (text) => readErrorBody(500, 'application/json', text)],
  ['an error in HTML', (text) => readErrorBody(503, 'text/html', text)],
  [
    'an error in a JSON string',
    (text) => readErrorBody(400, 'application/json', JSON.stringify({ error: { message: text } })),
  ],
  [
    'the fault of a server',
    (text) => serverFaultKind({ status: 'ERROR', fault: { message: text, code: 500 } } as never),
  ],
])('parses %s in linear time', async (_, read) => {
  expect(await excessiveGrowth(read, { bare: true })).toBeUndefined();
});
