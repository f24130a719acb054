import type { ApiServerAudit } from '@fairway/api/kinds/cluster-audit';

const READS = ['get', 'list', 'watch'];
const DELETIONS = ['delete', 'deletecollection'];
const CHANGES = ['create', 'update', 'patch'];
/** Every logging rule names this group, so that unauthenticated clients cannot fill the log. */
const AUTHENTICATED_GROUPS = ['system:authenticated'];
/** The control plane itself. */
const OWN_USERS = [
  'system:apiserver',
  'system:kube-controller-manager',
  'system:kube-scheduler',
  'system:kube-proxy',
  'kube-apiserver-kubelet-client',
  'fairway:controllers',
];
const NODES = ['system:nodes'];
/**
 * The controllers of kube-controller-manager and others in the same namespace: users who may create tokens there can
 * act as any of them.
 */
const KUBE_SYSTEM = ['system:serviceaccounts:kube-system'];
const REVIEWS = [{ group: 'authorization.k8s.io' }, { group: 'authentication.k8s.io' }];
const WITH_STATUS = [
  '',
  'apps',
  'batch',
  'autoscaling',
  'policy',
  'networking.k8s.io',
  'storage.k8s.io',
  'certificates.k8s.io',
  'apiregistration.k8s.io',
  'apiextensions.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'admissionregistration.k8s.io',
  'resource.k8s.io',
];

/**
 * The `audit.k8s.io/v1` Policy of a cluster that requests audit events, for kube-apiserver and the embedded server.
 * It omits requests that would fill the log without information about users: health checks and discovery, Leases,
 * Events, reviews, and what the control plane and nodes read and report.
 */
export function tenantAuditPolicy({ level, reads }: ApiServerAudit): object {
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [
      { level: 'None', nonResourceURLs: ['*'] },
      { level: 'None', resources: [{ group: 'coordination.k8s.io' }, { group: 'events.k8s.io' }] },
      { level: 'None', resources: [{ group: '', resources: ['events'] }, ...REVIEWS] },
      ...ownRules({ users: OWN_USERS }),
      ...ownRules({ userGroups: NODES }),
      // Objects that contain, or often contain, credentials are never logged with their content; reads of them always
      // are.
      {
        level: 'Metadata',
        userGroups: AUTHENTICATED_GROUPS,
        resources: [{ group: '', resources: ['secrets', 'serviceaccounts/token'] }],
      },
      {
        level: 'Metadata',
        userGroups: AUTHENTICATED_GROUPS,
        verbs: [...CHANGES, ...DELETIONS],
        resources: [{ group: '', resources: ['configmaps'] }],
      },
      // GET requests can also run commands in a pod and open connections through the API server.
      {
        level: 'Metadata',
        userGroups: AUTHENTICATED_GROUPS,
        resources: [
          { group: '', resources: ['pods/exec', 'pods/attach', 'pods/portforward'] },
          { group: '', resources: ['pods/proxy', 'services/proxy', 'nodes/proxy'] },
        ],
      },
      ...ownRules({ userGroups: KUBE_SYSTEM }),
      // Delete options contain no secrets, and show whether it was a dry run.
      { level: level === 'Metadata' ? 'Request' : level, userGroups: AUTHENTICATED_GROUPS, verbs: DELETIONS },
      { level, userGroups: AUTHENTICATED_GROUPS, verbs: CHANGES },
      ...(reads ? [{ level: 'Metadata', userGroups: AUTHENTICATED_GROUPS, verbs: READS }] : []),
    ],
  };
}

/** Frequent reads and status reports. */
function ownRules(
  subjects: { readonly users: readonly string[] } | { readonly userGroups: readonly string[] },
): object[] {
  return [
    { level: 'None', ...subjects, verbs: READS },
    { level: 'None', ...subjects, resources: WITH_STATUS.map((group) => ({ group, resources: ['*/status'] })) },
    {
      level: 'None',
      ...subjects,
      resources: [
        { group: '', resources: ['endpoints'] },
        { group: 'discovery.k8s.io', resources: ['endpointslices'] },
      ],
    },
  ];
}
