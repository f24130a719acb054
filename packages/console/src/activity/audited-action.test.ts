import { expect, it } from 'vitest';
import { auditedAction } from './audited-action.ts';

it.each([
  { verb: 'create', resource: 'clusters', told: { action: 'create' } },
  { verb: 'create', resource: 'clusters', subresource: 'kubeconfig', told: { action: 'kubeconfig' } },
  { verb: 'create', resource: 'serviceaccounts', subresource: 'token', told: { action: 'token' } },
  { verb: 'create', resource: 'pods', subresource: 'exec', told: { action: 'run' } },
  { verb: 'get', resource: 'pods', subresource: 'exec', told: { action: 'run' } },
  { verb: 'patch', resource: 'deployments', subresource: 'scale', told: { action: 'scale' } },
  { verb: 'get', resource: 'deployments', subresource: 'scale', told: { action: 'get', subresource: 'scale' } },
  { verb: 'patch', resource: 'clusters', subresource: 'status', told: { action: 'patch', subresource: 'status' } },
  {
    verb: 'create',
    resource: 'pods',
    subresource: 'constructor',
    told: { action: 'create', subresource: 'constructor' },
  },
  { verb: 'post', told: { action: 'other' } },
])('$verb of $resource $subresource', ({ verb, resource = '', subresource, told }) => {
  expect(auditedAction({ verb, objectRef: { resource, ...(subresource !== undefined && { subresource }) } })).toEqual({
    subresource: undefined,
    ...told,
  });
});
