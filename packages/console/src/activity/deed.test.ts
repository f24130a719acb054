import { expect, it } from 'vitest';
import { deedOf } from './deed.ts';

it.each([
  { verb: 'create', resource: 'clusters', told: { deed: 'create' } },
  { verb: 'create', resource: 'clusters', subresource: 'kubeconfig', told: { deed: 'kubeconfig' } },
  { verb: 'create', resource: 'serviceaccounts', subresource: 'token', told: { deed: 'token' } },
  { verb: 'create', resource: 'pods', subresource: 'exec', told: { deed: 'run' } },
  { verb: 'get', resource: 'pods', subresource: 'exec', told: { deed: 'run' } },
  { verb: 'patch', resource: 'deployments', subresource: 'scale', told: { deed: 'scale' } },
  { verb: 'get', resource: 'deployments', subresource: 'scale', told: { deed: 'get', subresource: 'scale' } },
  { verb: 'patch', resource: 'clusters', subresource: 'status', told: { deed: 'patch', subresource: 'status' } },
  {
    verb: 'create',
    resource: 'pods',
    subresource: 'constructor',
    told: { deed: 'create', subresource: 'constructor' },
  },
  { verb: 'post', told: { deed: 'other' } },
])('$verb of $resource $subresource', ({ verb, resource = '', subresource, told }) => {
  expect(deedOf({ verb, objectRef: { resource, ...(subresource !== undefined && { subresource }) } })).toEqual({
    subresource: undefined,
    ...told,
  });
});
