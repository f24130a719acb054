import type { ApiServerAudit } from '@fairway/api/kinds/cluster-audit';
import { parsePolicyFile } from '@fairway/apiserver/audit/policy-file';
import { auditPolicyOf } from '@fairway/apiserver/audit/policy-rules';
import { routeOf } from '@fairway/apiserver/server/router';
import { expect, test } from 'vitest';
import { tenantAuditPolicy } from './tenant-audit-policy.ts';

const person = 'alice';
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  alice: ['system:authenticated', 'fairway:cluster-admins'],
  'system:anonymous': ['system:unauthenticated'],
  'system:node:a': ['system:nodes', 'system:authenticated'],
  'system:serviceaccount:kube-system:deployment-controller': [
    'system:serviceaccounts',
    'system:serviceaccounts:kube-system',
    'system:authenticated',
  ],
  'system:serviceaccount:shop:deployer': [
    'system:serviceaccounts',
    'system:serviceaccounts:shop',
    'system:authenticated',
  ],
  'system:kube-scheduler': ['system:authenticated'],
  'fairway:controllers': ['system:masters', 'system:authenticated'],
};

function levelOf(audit: ApiServerAudit, request: string, username: string | undefined): string {
  const [method = '', url = ''] = request.split(' ');
  const [path = '', query] = url.split('?');
  const route = routeOf(method, path, new URLSearchParams(query));
  const user = username === undefined ? undefined : { username, groups: GROUPS[username] ?? [] };
  const resource = route.kind === 'resource' ? route.path : undefined;
  const policy = auditPolicyOf(parsePolicyFile(JSON.stringify(tenantAuditPolicy(audit))));
  return policy({ user, verb: route.verb, path, resource }).level;
}

const API = '/api/v1/namespaces/shop';
const APPS = '/apis/apps/v1/namespaces/shop';
const controller = 'system:serviceaccount:kube-system:deployment-controller';

interface Case {
  readonly request: string;
  readonly by?: string | undefined;
  /** Expected levels if the policy has level Metadata, Request or RequestResponse. */
  readonly levels: readonly [string, string, string];
  /** With logging of reads enabled; equal to `levels` by default. */
  readonly withReads?: string;
}

const NO_AUDIT = ['None', 'None', 'None'] as const;
const METADATA = ['Metadata', 'Metadata', 'Metadata'] as const;
const CHANGE = ['Metadata', 'Request', 'RequestResponse'] as const;
const DELETION = ['Request', 'Request', 'RequestResponse'] as const;

const CASES: readonly Case[] = [
  { request: `POST ${APPS}/deployments`, levels: CHANGE },
  { request: `PATCH ${APPS}/deployments/a`, levels: CHANGE },
  { request: `PATCH ${APPS}/deployments/a/scale`, levels: CHANGE },
  { request: `DELETE ${APPS}/deployments/a`, levels: DELETION },
  { request: `DELETE ${API}/pods`, levels: DELETION },
  { request: 'PUT /apis/shop.example/v1/namespaces/shop/carts/a', levels: CHANGE },
  { request: `POST ${API}/pods`, by: 'system:serviceaccount:shop:deployer', levels: CHANGE },
  { request: `POST ${API}/pods`, by: controller, levels: CHANGE },
  { request: `POST ${API}/pods/a/binding`, by: 'system:kube-scheduler', levels: CHANGE },
  { request: 'PATCH /api/v1/nodes/a', by: 'fairway:controllers', levels: CHANGE },
  // Objects with credentials.
  { request: `GET ${API}/secrets/a`, levels: METADATA },
  { request: `GET ${API}/secrets?watch=true`, levels: METADATA },
  { request: `POST ${API}/secrets`, levels: METADATA },
  { request: `DELETE ${API}/secrets/a`, levels: METADATA },
  { request: `POST ${API}/serviceaccounts/default/token`, levels: METADATA },
  { request: `POST ${API}/configmaps`, levels: METADATA },
  { request: `DELETE ${API}/configmaps/a`, levels: METADATA },
  { request: 'POST /apis/authentication.k8s.io/v1/tokenreviews', levels: NO_AUDIT },
  { request: `GET ${API}/secrets/a`, by: 'system:node:a', levels: NO_AUDIT },
  // Access to pods and through the API server.
  { request: `GET ${API}/pods/a/exec?command=sh`, levels: METADATA },
  { request: `POST ${API}/pods/a/portforward`, levels: METADATA },
  { request: `GET ${API}/services/a/proxy/admin`, levels: METADATA },
  { request: `DELETE ${API}/services/a/proxy/admin`, levels: METADATA },
  // Users who can create tokens could act as any account in kube-system.
  { request: `GET ${API}/secrets/a`, by: controller, levels: METADATA },
  { request: `GET ${API}/secrets?watch=true`, by: controller, levels: METADATA },
  { request: `GET ${API}/pods/a/exec?command=sh`, by: controller, levels: METADATA },
  { request: 'GET /api/v1/nodes/a/proxy/run', by: controller, levels: METADATA },
  { request: `GET ${API}/secrets`, by: 'fairway:controllers', levels: NO_AUDIT },
  // Reads.
  { request: `GET ${API}/pods`, levels: NO_AUDIT, withReads: 'Metadata' },
  { request: `GET ${API}/configmaps/a`, levels: NO_AUDIT, withReads: 'Metadata' },
  {
    request: `GET ${API}/pods?watch=true`,
    by: 'system:serviceaccount:shop:deployer',
    levels: NO_AUDIT,
    withReads: 'Metadata',
  },
  { request: `GET ${API}/pods`, by: 'system:node:a', levels: NO_AUDIT },
  { request: `GET ${API}/pods`, by: controller, levels: NO_AUDIT },
  // Requests without information about users.
  { request: 'GET /readyz', levels: NO_AUDIT },
  { request: 'GET /apis', levels: NO_AUDIT },
  { request: `POST ${API}/events`, levels: NO_AUDIT },
  { request: 'POST /apis/events.k8s.io/v1/namespaces/shop/events', levels: NO_AUDIT },
  {
    request: 'PUT /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/a',
    by: 'system:node:a',
    levels: NO_AUDIT,
  },
  { request: 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', levels: NO_AUDIT },
  { request: 'PATCH /api/v1/nodes/a/status', by: 'system:node:a', levels: NO_AUDIT },
  { request: `PATCH ${APPS}/deployments/a/status`, by: controller, levels: NO_AUDIT },
  { request: `PUT ${API}/endpoints/a`, by: controller, levels: NO_AUDIT },
  { request: 'PUT /apis/discovery.k8s.io/v1/namespaces/shop/endpointslices/a', by: controller, levels: NO_AUDIT },
  { request: `PATCH ${APPS}/deployments/a/status`, levels: CHANGE },
  // Unauthenticated clients.
  { request: `DELETE ${API}/pods`, by: 'system:anonymous', levels: NO_AUDIT },
  { request: `GET ${API}/secrets`, by: 'system:anonymous', levels: NO_AUDIT },
];

test.each(CASES)('logs $request by $by', ({ request, by = person, levels, withReads }) => {
  const found = (['Metadata', 'Request', 'RequestResponse'] as const).map((level) =>
    levelOf({ level, reads: false }, request, by),
  );

  expect(found).toEqual(levels);
  expect(levelOf({ level: 'Request', reads: true }, request, by)).toBe(withReads ?? levels[1]);
});

test('does not log requests with invalid credentials', () => {
  for (const { request } of CASES) {
    expect(levelOf({ level: 'RequestResponse', reads: true }, request, undefined)).toBe('None');
  }
});
