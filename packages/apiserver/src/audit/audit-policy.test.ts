import { expect, test } from 'vitest';
import { routeOf } from '../server/router.ts';
import { holdsCredentials, isAudited } from './audit-policy.ts';

interface Case {
  readonly request: string;
  readonly status?: number;
  readonly is?: Partial<Record<'isKnown' | 'isImpersonated' | 'isInProcess' | 'isQuestion', boolean>>;
  readonly audited: boolean;
  readonly reason: string;
}

const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';

const cases: readonly Case[] = [
  { request: `POST ${CLUSTERS}`, audited: true, reason: 'it changes something' },
  { request: `PATCH ${CLUSTERS}/a`, audited: true, reason: 'it changes something' },
  { request: `DELETE ${CLUSTERS}`, audited: true, reason: 'it changes something' },
  { request: `PATCH ${CLUSTERS}/a/status`, audited: true, reason: 'a tenant has no business there' },
  { request: `POST ${CLUSTERS}/a`, status: 422, audited: true, reason: 'it was tried' },
  { request: `POST ${CLUSTERS}`, status: 0, audited: true, reason: 'it may have been done' },
  { request: `GET ${CLUSTERS}`, audited: false, reason: 'a read of what is no secret' },
  { request: `GET ${CLUSTERS}?watch=true`, audited: false, reason: 'a read of what is no secret' },
  { request: `GET ${CLUSTERS}`, status: 404, audited: false, reason: 'nothing was there to read' },
  { request: 'GET /api/v1/namespaces/red/secrets', audited: true, reason: 'credentials' },
  { request: 'GET /api/v1/secrets?watch=1', audited: true, reason: 'credentials, for as long as it lasts' },
  {
    request: 'GET /api/v1/namespaces/red/secrets/a',
    status: 404,
    audited: true,
    reason: 'somebody looks for credentials',
  },
  { request: 'POST /api/v1/namespaces/red/serviceaccounts/a/token', audited: true, reason: 'makes credentials' },
  { request: `GET ${CLUSTERS}`, status: 403, audited: true, reason: 'refused' },
  { request: `GET ${CLUSTERS}`, status: 401, is: { isKnown: false }, audited: true, reason: 'refused' },
  { request: 'GET /x', status: 400, is: { isKnown: false }, audited: true, reason: 'refused before anybody asked who' },
  { request: 'GET /livez', is: { isKnown: false }, audited: false, reason: 'public' },
  { request: 'GET /apis', audited: false, reason: 'discovery' },
  { request: 'GET /apis', is: { isImpersonated: true }, audited: true, reason: "in another's name" },
  { request: `GET ${CLUSTERS}`, is: { isImpersonated: true }, audited: true, reason: "in another's name" },
  { request: 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', audited: false, reason: 'a question' },
  { request: `POST ${CLUSTERS}/a/upgradeplan`, is: { isQuestion: true }, audited: false, reason: 'a question' },
  {
    request: `POST ${CLUSTERS}/a/upgradeplan`,
    status: 403,
    is: { isQuestion: true },
    audited: true,
    reason: 'refused',
  },
  { request: 'POST /apis/authentication.k8s.io/v1/tokenreviews', audited: false, reason: 'a question' },
  {
    request: `PATCH ${CLUSTERS}/a/status`,
    is: { isInProcess: true },
    audited: false,
    reason: 'what a controller sees',
  },
  { request: 'POST /api/v1/namespaces/red/events', is: { isInProcess: true }, audited: false, reason: 'what it tells' },
  { request: 'POST /api/v1/namespaces/red/events', audited: true, reason: 'somebody else tells' },
  { request: 'GET /api/v1/secrets', is: { isInProcess: true }, audited: false, reason: 'it keeps them' },
  { request: `DELETE ${CLUSTERS}/a`, is: { isInProcess: true }, audited: true, reason: 'who changed what' },
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
    isQuestion: false,
  };

  expect(isAudited({ ...facts, ...is })).toBe(audited);
});
