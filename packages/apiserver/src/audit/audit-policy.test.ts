import { expect, test } from 'vitest';
import { routeOf } from '../server/router.ts';
import { holdsCredentials, isAudited } from './audit-policy.ts';

interface Case {
  readonly request: string;
  readonly status?: number;
  readonly is?: Partial<Record<'isKnown' | 'isImpersonated' | 'isInProcess' | 'isQuery', boolean>>;
  readonly audited: boolean;
  readonly reason: string;
}

const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';

const cases: readonly Case[] = [
  { request: `POST ${CLUSTERS}`, audited: true, reason: 'a write' },
  { request: `PATCH ${CLUSTERS}/a`, audited: true, reason: 'a write' },
  { request: `DELETE ${CLUSTERS}`, audited: true, reason: 'a write' },
  { request: `PATCH ${CLUSTERS}/a/status`, audited: true, reason: 'a status write by a tenant' },
  { request: `POST ${CLUSTERS}/a`, status: 422, audited: true, reason: 'a rejected write' },
  { request: `POST ${CLUSTERS}`, status: 0, audited: true, reason: 'a write with unknown outcome' },
  { request: `GET ${CLUSTERS}`, audited: false, reason: 'a read without credentials' },
  { request: `GET ${CLUSTERS}?watch=true`, audited: false, reason: 'a read without credentials' },
  { request: `GET ${CLUSTERS}`, status: 404, audited: false, reason: 'a read of a missing object' },
  { request: 'GET /api/v1/namespaces/red/secrets', audited: true, reason: 'credentials' },
  { request: 'GET /api/v1/secrets?watch=1', audited: true, reason: 'a watch of credentials' },
  {
    request: 'GET /api/v1/namespaces/red/secrets/a',
    status: 404,
    audited: true,
    reason: 'an attempt to read credentials',
  },
  { request: 'POST /api/v1/namespaces/red/serviceaccounts/a/token', audited: true, reason: 'issues credentials' },
  { request: `GET ${CLUSTERS}`, status: 403, audited: true, reason: 'refused' },
  { request: `GET ${CLUSTERS}`, status: 401, is: { isKnown: false }, audited: true, reason: 'refused' },
  {
    request: 'GET /x',
    status: 400,
    is: { isKnown: false },
    audited: true,
    reason: 'a request refused before authentication',
  },
  { request: 'GET /livez', is: { isKnown: false }, audited: false, reason: 'public' },
  { request: 'GET /apis', audited: false, reason: 'discovery' },
  { request: 'GET /apis', is: { isImpersonated: true }, audited: true, reason: 'an impersonated request' },
  { request: `GET ${CLUSTERS}`, is: { isImpersonated: true }, audited: true, reason: 'an impersonated request' },
  { request: 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', audited: false, reason: 'only a query' },
  { request: `POST ${CLUSTERS}/a/upgradeplan`, is: { isQuery: true }, audited: false, reason: 'only a query' },
  {
    request: `POST ${CLUSTERS}/a/upgradeplan`,
    status: 403,
    is: { isQuery: true },
    audited: true,
    reason: 'refused',
  },
  { request: 'POST /apis/authentication.k8s.io/v1/tokenreviews', audited: false, reason: 'only a query' },
  {
    request: `PATCH ${CLUSTERS}/a/status`,
    is: { isInProcess: true },
    audited: false,
    reason: "a controller's status write",
  },
  {
    request: 'POST /api/v1/namespaces/red/events',
    is: { isInProcess: true },
    audited: false,
    reason: "a controller's Event",
  },
  { request: 'POST /api/v1/namespaces/red/events', audited: true, reason: 'an Event of another client' },
  {
    request: 'GET /api/v1/secrets',
    is: { isInProcess: true },
    audited: false,
    reason: "Fairway's own read of Secrets",
  },
  { request: `DELETE ${CLUSTERS}/a`, is: { isInProcess: true }, audited: true, reason: "Fairway's own write" },
  { request: `POST ${CLUSTERS}`, status: 403, is: { isInProcess: true }, audited: true, reason: 'refused' },
];

test.each(cases)('$request $status $is: $audited, $reason', ({ request, status = 200, is = {}, audited }) => {
  const [method = '', target = ''] = request.split(' ');
  const [path = '', query = ''] = target.split('?');
  const route = routeOf(method, path, new URLSearchParams(query));
  const resource = route.kind === 'resource' ? route.path : undefined;
  const isSensitive = resource !== undefined && holdsCredentials(resource);
  const facts = {
    verb: route.verb,
    resource,
    isSensitive,
    status,
    isKnown: true,
    isImpersonated: false,
    isInProcess: false,
    isQuery: false,
  };

  expect(isAudited({ ...facts, ...is })).toBe(audited);
});
