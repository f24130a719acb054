import { expect, test } from 'vitest';
import { attachmentsOf } from './attachment.ts';
import { aContext, aRoute } from './testing/routes.ts';

const http = { name: 'http', port: 80, protocol: 'HTTP' };
const from = (value: string, selector?: object) => ({
  ...http,
  allowedRoutes: { namespaces: { from: value, ...(selector && { selector }) } },
});
const OTHER = { namespace: 'other' };

test.each<{ is: string; listeners?: object[]; spec?: object; metadata?: object; at: string[]; reason?: string }>([
  { is: 'a route in the same namespace', at: ['http *'] },
  {
    is: 'the section that the route names',
    spec: { parentRefs: [{ name: 'shop', sectionName: 'http' }] },
    at: ['http *'],
  },
  {
    is: 'a section that does not exist',
    spec: { parentRefs: [{ name: 'shop', sectionName: 'https' }] },
    at: [],
    reason: 'NoMatchingParent',
  },
  {
    is: 'a port that does not exist',
    spec: { parentRefs: [{ name: 'shop', port: 81 }] },
    at: [],
    reason: 'NoMatchingParent',
  },
  { is: 'a route in another namespace', metadata: OTHER, at: [], reason: 'NotAllowedByListeners' },
  { is: 'a listener for routes of all namespaces', listeners: [from('All')], metadata: OTHER, at: ['http *'] },
  { is: 'a listener for routes of no namespace', listeners: [from('None')], at: [], reason: 'NotAllowedByListeners' },
  {
    is: 'a route whose namespace has the labels',
    listeners: [from('Selector', { matchLabels: { team: 'a' } })],
    metadata: OTHER,
    at: ['http *'],
  },
  {
    is: 'a route whose namespace has other labels',
    listeners: [from('Selector', { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['a'] }] })],
    metadata: OTHER,
    at: [],
    reason: 'NotAllowedByListeners',
  },
  {
    is: 'an inherited property instead of a label',
    listeners: [from('Selector', { matchExpressions: [{ key: 'toString', operator: 'Exists' }] })],
    metadata: OTHER,
    at: [],
    reason: 'NotAllowedByListeners',
  },
  {
    is: 'a listener for another kind of route',
    listeners: [{ ...http, allowedRoutes: { kinds: [{ kind: 'GRPCRoute' }] } }],
    at: [],
    reason: 'NotAllowedByListeners',
  },
  {
    is: 'hosts in common',
    listeners: [{ ...http, hostname: '*.example' }],
    spec: { hostnames: ['a.example', 'b.org'] },
    at: ['http a.example'],
  },
  {
    is: 'no host in common',
    listeners: [{ ...http, hostname: '*.example' }],
    spec: { hostnames: ['b.org'] },
    at: [],
    reason: 'NoMatchingListenerHostname',
  },
  {
    is: 'a listener that is not served',
    listeners: [{ name: 'tls', port: 443, protocol: 'TLS' }],
    at: ['tls *'],
    reason: 'NoMatchingParent',
  },
  {
    is: 'a listener that has no certificate yet',
    listeners: [{ name: 'https', port: 443, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'none' }] } }],
    at: ['https *'],
  },
])('$is', ({ listeners = [http], spec = {}, metadata = {}, at, reason }) => {
  const [attachment] = attachmentsOf(aRoute(spec, metadata), aContext(listeners));

  const places = attachment?.at.map(({ listener, hosts }) => `${listener.listener.name} ${hosts[0] || '*'}`);
  expect(places).toEqual(at);
  expect(attachment?.refused?.reason).toBe(reason);
});

test('ignores a reference to another Gateway, or to another kind with the same name', () => {
  const parentRefs = [
    { name: 'other' },
    { name: 'shop', kind: 'Service', group: '' },
    { name: 'shop', namespace: 'b' },
  ];

  expect(attachmentsOf(aRoute({ parentRefs }), aContext([http]))).toEqual([]);
});
