import type { ApiServerAudit } from '@fairway/api/kinds/cluster-audit';

const READS = ['get', 'list', 'watch'];
const DELETIONS = ['delete', 'deletecollection'];
const CHANGES = ['create', 'update', 'patch'];
/** Every rule that writes something down names it: strangers can't fill the log, neither those without credentials nor those with wrong ones. */
const KNOWN = ['system:authenticated'];
/** The control plane itself, the nodes and what runs in kube-system. */
const OWN_USERS = [
  'system:apiserver',
  'system:kube-controller-manager',
  'system:kube-scheduler',
  'system:kube-proxy',
  'kube-apiserver-kubelet-client',
  'fairway:controllers',
];
const OWN_GROUPS = ['system:nodes', 'system:serviceaccounts:kube-system'];
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
 * The Policy of `audit.k8s.io/v1` of a cluster that asks for audit events, for kube-apiserver and the embedded server alike. It leaves out what would fill the log and
 * says nothing of anybody: health checks and discovery, Leases, Events, reviews, and what the control plane and nodes read and report.
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
      ...[{ users: OWN_USERS }, { userGroups: OWN_GROUPS }].flatMap((whom) => [
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
      ]),
      // What holds credentials, or often does, is never quoted; who reads it is always told.
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
      // Whoever runs programs in a pod, or reaches through the API server, does so by GET too.
      {
        level: 'Metadata',
        userGroups: KNOWN,
        resources: [
          { group: '', resources: ['pods/exec', 'pods/attach', 'pods/portforward'] },
          { group: '', resources: ['pods/proxy', 'services/proxy', 'nodes/proxy'] },
        ],
      },
      // The options of a deletion hold nothing that is secret, and say whether it was a dry run.
      { level: level === 'Metadata' ? 'Request' : level, userGroups: KNOWN, verbs: DELETIONS },
      { level, userGroups: KNOWN, verbs: CHANGES },
      ...(reads ? [{ level: 'Metadata', userGroups: KNOWN, verbs: READS }] : []),
    ],
  };
}
