import { expect, it } from 'vitest';
import { auditedAction } from './audited-action.ts';

it.each([
  { verb: 'create', resource: 'clusters', reported: { action: 'create' } },
  { verb: 'create', resource: 'clusters', subresource: 'kubeconfig', reported: { action: 'kubeconfig' } },
  { verb: 'create', resource: 'serviceaccounts', subresource: 'token', reported: { action: 'token' } },
  { verb: 'create', resource: 'pods', subresource: 'exec', reported: { action: 'run' } },
  { verb: 'get', resource: 'pods', subresource: 'exec', reported: { action: 'run' } },
  { verb: 'patch', resource: 'deployments', subresource: 'scale', reported: { action: 'scale' } },
  { verb: 'get', resource: 'deployments', subresource: 'scale', reported: { action: 'get', subresource: 'scale' } },
  { verb: 'patch', resource: 'clusters', subresource: 'status', reported: { action: 'patch', subresource: 'status' } },
  {
    verb: 'create',
    resource: 'pods',
    subresource: 'constructor',
    reported: { action: 'create', subresource: 'constructor' },
  },
  { verb: 'post', reported: { action: 'other' } },
])('$verb of $resource $subresource', ({ verb, resource = '', subresource, reported }) => {
  expect(auditedAction({ verb, objectRef: { resource, ...(subresource !== undefined && { subresource }) } })).toEqual({
    subresource: undefined,
    ...reported,
  });
});
