import { KubeconfigError } from '@fairway/kube/client/kubeconfig';
import { TransportError } from '@fairway/kube/client/transport';
import { ApiError, forbidden, notFound } from '@fairway/kube/object/api-error';
import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import { CommandError } from '@fairway/service/command-error';
import { expect, test } from 'vitest';
import { explainError } from './explain-error.ts';

const subject = { group: 'fairway.dev', resource: 'clusters', name: 'demo' };
const call = { service: 'compute', method: 'GET', template: '/servers', message: 'x', outcome: 'notDone' } as const;

function refused(code: string): TransportError {
  return new TransportError('GET /api at localhost:1', { cause: Object.assign(new Error(code), { code }) });
}

test.each([
  {
    error: notFound(subject),
    exitCode: 1,
    message: 'clusters.fairway.dev "demo" not found',
    advice: /^"fairway cluster list" lists those in this namespace; choose another namespace with -n$/,
  },
  {
    error: notFound({ ...subject, resource: 'plans' }),
    exitCode: 1,
    message: /not found/,
    advice: /fairway plan list/,
  },
  {
    error: notFound({ group: '', resource: 'namespaces', name: 'team' }),
    exitCode: 1,
    message: /namespaces "team" not found/,
    advice: /with -n/,
  },
  { error: notFound({ ...subject, resource: 'secrets' }), exitCode: 1, message: /not found/, advice: undefined },
  {
    error: forbidden(subject, 'User "alice" cannot get resource "clusters"'),
    exitCode: 1,
    message: /cannot get/,
    advice: /fairway-reader.*with -n/,
  },
  { error: forbidden(subject, 'no'), exitCode: 1, message: /is forbidden: no/, advice: undefined },
  {
    error: new ApiError(401, 'Unauthorized', 'Unauthorized'),
    exitCode: 1,
    message: /credential/,
    advice: /expired.*fairway auth login/,
  },
  {
    error: new ApiError(404, 'NotFound', 'the server could not find the requested resource'),
    exitCode: 1,
    message: /does not serve Fairway's kinds/,
    advice: /points to another cluster/,
  },
  { error: refused('ECONNREFUSED'), exitCode: 3, message: /localhost:1/, advice: /fairway up/ },
  { error: refused('SELF_SIGNED_CERT_IN_CHAIN'), exitCode: 3, message: /localhost:1/, advice: /CA of another/ },
  { error: refused('EPIPE'), exitCode: 3, message: /localhost:1/, advice: undefined },
  { error: new KubeconfigError('no kubeconfig at /x'), exitCode: 2, message: /\/x/, advice: /--kubeconfig/ },
  { error: new KubeconfigError('cannot read /x'), exitCode: 2, message: /\/x/, advice: /another .*--kubeconfig/ },
  {
    error: new KubeconfigError('the kubeconfig has no context "a" (it has: b)'),
    exitCode: 2,
    message: /context/,
    advice: /--context/,
  },
  { error: new OpenStackError({ ...call, kind: 'network' }), exitCode: 3, message: /compute GET/, advice: undefined },
  {
    error: new OpenStackError({ ...call, kind: 'forbidden', status: 403 }),
    exitCode: 1,
    message: /403/,
    advice: undefined,
  },
  { error: new CommandError('a', { exitCode: 4, advice: 'b' }), exitCode: 4, message: 'a', advice: 'b' },
  { error: new Error('odd'), exitCode: 1, message: 'odd', advice: undefined },
])('explains $error as $message', ({ error, exitCode, message, advice }) => {
  const explained = explainError(error);

  expect(explained.exitCode).toBe(exitCode);
  expect(explained.message).toMatch(message);
  expect(explained.advice ?? '').toMatch(advice ?? /^$/);
});
