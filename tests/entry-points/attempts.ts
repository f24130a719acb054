import type { Attempt, Person } from './test-deployment.ts';

export const GROUP = '/apis/fairway.dev/v1alpha1';
const MERGE = { metadata: { labels: { evil: 'yes' } } };

/** A tenant's objects, and secrets that other tenants must not learn. */
export interface OwnedObjects extends Person {
  /** The path of the project's namespace. */
  readonly root: string;
  readonly cluster: string;
  readonly uuid: string;
  readonly template: string;
  readonly credential: string;
  readonly pool: string;
  /** The cluster's UUID in Magnum. */
  readonly label: string;
  /** The public template from which the cluster was created. */
  readonly offer: string;
  /** PEM of a certificate request. */
  readonly csr: string;
  /** The address of the cluster's API server. */
  readonly server: string;
  readonly certificateAuthority: string;
}

export type MakeAttempt = (owned: OwnedObjects) => Attempt;

export const post = (path: string, body: unknown): Attempt => ({ method: 'POST', path, body });
export const patch = (path: string, body: unknown = MERGE): Attempt => ({ method: 'PATCH', path, body });
export const remove = (path: string): Attempt => ({ method: 'DELETE', path });
export const dryRunQuery = '?dryRun=All';
const request = (kind: string) => ({ apiVersion: 'fairway.dev/v1alpha1', kind });

/** Actions of an owner at Fairway's API, and whether a reader may perform them. */
export const KUBERNETES: readonly (readonly [what: string, reader: number, make: MakeAttempt])[] = [
  ['list clusters', 200, ({ root }) => ({ path: `${root}/clusters` })],
  ['watch clusters', 200, ({ root }) => ({ path: `${root}/clusters?watch=true&timeoutSeconds=1` })],
  ['get the cluster', 200, ({ root, cluster }) => ({ path: `${root}/clusters/${cluster}` })],
  ['get it as a table', 200, ({ root, cluster }) => ({ path: `${root}/clusters/${cluster}`, headers: TABLE })],
  ['create a cluster', 403, ({ root, credential }) => post(`${root}/clusters${dryRunQuery}`, newCluster(credential))],
  ['patch the cluster', 403, ({ root, cluster }) => patch(`${root}/clusters/${cluster}${dryRunQuery}`)],
  ['delete the cluster', 403, ({ root, cluster }) => remove(`${root}/clusters/${cluster}${dryRunQuery}`)],
  ['delete all clusters', 403, ({ root }) => remove(`${root}/clusters${dryRunQuery}`)],
  [
    'get a kubeconfig',
    403,
    ({ root, cluster }) => post(`${root}/clusters/${cluster}/kubeconfig`, request('KubeconfigRequest')),
  ],
  [
    'ask for a plan of an upgrade',
    403,
    ({ root, cluster }) => post(`${root}/clusters/${cluster}/upgradeplan`, request('UpgradePlanRequest')),
  ],
  [
    'ask for cloud resources',
    201,
    ({ root, cluster }) => post(`${root}/clusters/${cluster}/cloudresources`, request('CloudResourcesRequest')),
  ],
  ['list pools', 200, ({ root }) => ({ path: `${root}/nodepools` })],
  ['get the scale of a pool', 200, ({ root, pool }) => ({ path: `${root}/nodepools/${pool}/scale` })],
  [
    'scale a pool',
    403,
    ({ root, pool }) => patch(`${root}/nodepools/${pool}/scale${dryRunQuery}`, { spec: { replicas: 2 } }),
  ],
  ['list machines', 200, ({ root }) => ({ path: `${root}/machines` })],
  ['delete machines', 403, ({ root }) => remove(`${root}/machines${dryRunQuery}`)],
  ['list credentials', 200, ({ root }) => ({ path: `${root}/cloudcredentials` })],
  ['list quotas', 200, ({ root }) => ({ path: `${root}/projectquotas` })],
  ['list usage', 200, ({ root }) => ({ path: `${root}/usagerecords` })],
  ['list audit events', 200, ({ root }) => ({ path: `${root}/auditevents` })],
  ['list them as Events', 200, ({ root }) => ({ path: `${root}/auditevents?as=EventList&sinceSeconds=3600` })],
  ['list audit events of the cluster', 200, ({ root, cluster }) => ({ path: `${root}/clusters/${cluster}/audit` })],
  [
    'list them as a table',
    200,
    ({ root, cluster }) => ({ path: `${root}/clusters/${cluster}/audit?limit=1`, headers: TABLE }),
  ],
  ['list events', 200, ({ project }) => ({ path: `/api/v1/namespaces/${project}/events` })],
  [
    'write a Secret',
    403,
    ({ project }) => post(`/api/v1/namespaces/${project}/secrets${dryRunQuery}`, { metadata: { name: 'x' } }),
  ],
];

/** Actions reserved for operators. */
export const OPERATORS: readonly (readonly [what: string, make: MakeAttempt])[] = [
  ['list clusters of all', () => ({ path: `${GROUP}/clusters` })],
  ['watch clusters of all', () => ({ path: `${GROUP}/clusters?watch=true` })],
  ['list audit events of all', () => ({ path: `${GROUP}/auditevents` })],
  ['list namespaces', () => ({ path: '/api/v1/namespaces' })],
  [
    'claim the namespace',
    ({ project }) =>
      patch(`/api/v1/namespaces/${project}`, { metadata: { annotations: { 'fairway.dev/project-id': 'mine' } } }),
  ],
  ['make a namespace', () => post('/api/v1/namespaces', { metadata: { name: 'mine' } })],
  ['list Secrets', ({ project }) => ({ path: `/api/v1/namespaces/${project}/secrets` })],
  ["list Fairway's Secrets", () => ({ path: '/api/v1/namespaces/fairway-system/secrets' })],
  [
    'bind a role',
    ({ project, userId }) =>
      post(`/apis/rbac.authorization.k8s.io/v1/namespaces/${project}/rolebindings`, binding(userId)),
  ],
  [
    'make a token of an account',
    ({ project }) => post(`/api/v1/namespaces/${project}/serviceaccounts/default/token`, { spec: {} }),
  ],
  ['make a machine', ({ root }) => post(`${root}/machines`, { metadata: { name: 'x' } })],
  [
    'write the status',
    ({ root, cluster }) => patch(`${root}/clusters/${cluster}/status`, { status: { phase: 'Failed' } }),
  ],
  ['ask whose a token is', ({ token }) => post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } })],
  [
    'ask what another may',
    () =>
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { user: 'x', nonResourceAttributes: { path: '/', verb: 'get' } },
      }),
  ],
  [
    'be an owner by a header',
    ({ root, userId }) => ({ path: `${root}/clusters`, headers: { 'impersonate-user': `keystone:${userId}` } }),
  ],
  [
    'be a member by a header',
    ({ root, project }) => ({
      path: `${root}/clusters`,
      headers: { 'impersonate-user': 'x', 'impersonate-group': `keystone:project:${project}:member` },
    }),
  ],
  [
    'be Fairway in a cluster',
    ({ root }) => ({ path: `${root}/nodepools/x`, headers: { 'impersonate-user': 'system:fairway:in-cluster' } }),
  ],
];

/** Results for an owner, a reader and another tenant at Magnum's API. */
export const MAGNUM: readonly (readonly [
  what: string,
  owner: number,
  reader: number,
  stranger: number,
  make: MakeAttempt,
])[] = [
  ['show the cluster', 200, 200, 404, ({ uuid }) => ({ path: `/v1/clusters/${uuid}` })],
  ['show it by its name', 200, 200, 404, ({ label }) => ({ path: `/v1/clusters/${label}` })],
  [
    'change the cluster',
    202,
    403,
    404,
    ({ uuid }) => patch(`/v1/clusters/${uuid}`, [{ op: 'replace', path: '/node_count', value: 1 }]),
  ],
  ['resize it', 202, 403, 404, ({ uuid }) => post(`/v1/clusters/${uuid}/actions/resize`, { node_count: 1 })],
  [
    'upgrade it',
    202,
    403,
    404,
    ({ uuid, offer }) => post(`/v1/clusters/${uuid}/actions/upgrade`, { cluster_template: offer }),
  ],
  ['list nodegroups', 200, 200, 404, ({ uuid }) => ({ path: `/v1/clusters/${uuid}/nodegroups` })],
  ['show a nodegroup', 200, 200, 404, ({ uuid }) => ({ path: `/v1/clusters/${uuid}/nodegroups/default-worker` })],
  [
    'change a nodegroup',
    202,
    403,
    404,
    ({ uuid }) =>
      patch(`/v1/clusters/${uuid}/nodegroups/default-worker`, [{ op: 'replace', path: '/max_node_count', value: 2 }]),
  ],
  // The object is never deleted.
  ['delete a nodegroup', 400, 400, 404, ({ uuid }) => remove(`/v1/clusters/${uuid}/nodegroups/default-worker`)],
  [
    'make a nodegroup',
    202,
    403,
    404,
    ({ uuid }) => post(`/v1/clusters/${uuid}/nodegroups`, { name: 'more', node_count: 0, flavor_id: 'b3-8' }),
  ],
  ['get the certificate', 200, 200, 404, ({ uuid }) => ({ path: `/v1/certificates/${uuid}` })],
  ['have a key certified', 201, 403, 400, ({ uuid, csr }) => post('/v1/certificates', { cluster_uuid: uuid, csr })],
  ['show the template', 200, 200, 404, ({ template }) => ({ path: `/v1/clustertemplates/${template}` })],
  [
    'change the template',
    200,
    403,
    404,
    ({ template }) => patch(`/v1/clustertemplates/${template}`, [{ op: 'replace', path: '/hidden', value: false }]),
  ],
  ['read statistics', 200, 200, 403, ({ project }) => ({ path: `/v1/stats?project_id=${project}` })],
  ['read the quota', 200, 200, 403, ({ project }) => ({ path: `/v1/quotas/${project}/Cluster` })],
  // From then on, the cluster uses another credential of the same project.
  ['renew the credential', 202, 403, 404, ({ uuid }) => patch(`/v1/credentials/${uuid}`, {})],
  ['renew the authorities', 202, 403, 404, ({ uuid }) => patch(`/v1/certificates/${uuid}`, {})],
];

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

function newCluster(credentialName: string): object {
  return { metadata: { name: 'more' }, spec: { plan: 'free', ...(credentialName !== '' && { credentialName }) } };
}

function binding(userId: string): object {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    metadata: { name: 'evil' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup, kind: 'User', name: `keystone:${userId}` }],
  };
}
