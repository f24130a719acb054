import type { ApiServerAudit } from '@fairway/api/kinds/cluster-audit';

const READS = ['get', 'list', 'watch'];
const DELETIONS = ['delete', 'deletecollection'];
const CHANGES = ['create', 'update', 'patch'];
/** Every logging rule names this group, so unauthenticated clients cannot fill the log. */
const KNOWN = ['system:authenticated'];
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
/** The controllers of kube-controller-manager, and others in the same namespace: users who may create tokens there can act as any of them. */
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
 * The Policy of `audit.k8s.io/v1` of a cluster that asks for audit events, for kube-apiserver and the embedded server alike. It
 * omits requests that would fill the log without information about users: health checks and discovery, Leases, Events, reviews,
 * and what the control plane and nodes read and report.
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
      // Objects that hold credentials, or often do, are never logged with content; reading them is always logged.
      {
        level: 'Metadata',
        userGroups: KNOWN,
        resources: [{ group: '', resources: ['secrets', 'serviceaccounts/token'] }],
      },
      {
        level: 'Metadata',
        userGroups: KNOWN,
        verbs: [...CHANGES, ...DELETIONS],
        resources: [{ group: '', resources: ['configmaps'] }],
      },
      // Running programs in a pod and connecting through the API server are possible by GET too.
      {
        level: 'Metadata',
        userGroups: KNOWN,
        resources: [
          { group: '', resources: ['pods/exec', 'pods/attach', 'pods/portforward'] },
          { group: '', resources: ['pods/proxy', 'services/proxy', 'nodes/proxy'] },
        ],
      },
      ...ownRules({ userGroups: KUBE_SYSTEM }),
      // The options of a deletion contain no secrets, and show whether it was a dry run.
      { level: level === 'Metadata' ? 'Request' : level, userGroups: KNOWN, verbs: DELETIONS },
      { level, userGroups: KNOWN, verbs: CHANGES },
      ...(reads ? [{ level: 'Metadata', userGroups: KNOWN, verbs: READS }] : []),
    ],
  };
}

/** Frequent reads and reports. */
function ownRules(whom: { readonly users: readonly string[] } | { readonly userGroups: readonly string[] }): object[] {
  return [
    { level: 'None', ...whom, verbs: READS },
    { level: 'None', ...whom, resources: WITH_STATUS.map((group) => ({ group, resources: ['*/status'] })) },
    {
      level: 'None',
      ...whom,
      resources: [
        { group: '', resources: ['endpoints'] },
        { group: 'discovery.k8s.io', resources: ['endpointslices'] },
      ],
    },
  ];
}
