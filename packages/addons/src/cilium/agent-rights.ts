import type { ClusterRole } from '@fairway/kube/kinds/generated/types';
import { CILIUM_GROUP, READ_VERBS } from './kinds.ts';

type Rules = NonNullable<ClusterRole['rules']>;

/** The kinds that an agent watches, including some that it does not use, because it waits forever if access is refused. */
const WATCHED = [
  'ciliumbgpadvertisements',
  'ciliumbgpnodeconfigs',
  'ciliumbgppeerconfigs',
  'ciliumbgppeeringpolicies',
  'ciliumcidrgroups',
  'ciliumclusterwideenvoyconfigs',
  'ciliumclusterwidenetworkpolicies',
  'ciliumdatapathplugins',
  'ciliumegressgatewaypolicies',
  'ciliumendpoints',
  'ciliumendpointslices',
  'ciliumenvoyconfigs',
  'ciliumidentities',
  'ciliuml2announcementpolicies',
  'ciliumloadbalancerippools',
  'ciliumlocalredirectpolicies',
  'ciliumnetworkpolicies',
  'ciliumnodeconfigs',
  'ciliumnodes',
  'ciliumpodippools',
];

const own = (resources: string[], verbs: string[]) => ({ apiGroups: [CILIUM_GROUP], resources, verbs });

/** In all namespaces. One list for all lines of Cilium: during an upgrade, two of them run. */
export const AGENT_RULES: Rules = [
  { apiGroups: [''], resources: ['namespaces', 'services', 'pods', 'endpoints', 'nodes'], verbs: READ_VERBS },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: READ_VERBS },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: READ_VERBS },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: READ_VERBS },
  own(WATCHED, ['list', 'watch']),
  own(['ciliumidentities', 'ciliumendpoints', 'ciliumnodes'], ['create']),
  own(['ciliumidentities'], ['update']),
  own(['ciliumendpoints'], ['get', 'delete']),
  own(['ciliumnodes', 'ciliumnodes/status'], ['get', 'update']),
  own(
    ['ciliumendpoints', 'ciliumendpoints/status', 'ciliuml2announcementpolicies/status', 'ciliumbgpnodeconfigs/status'],
    ['patch'],
  ),
];

/** In the namespace of add-ons, where the settings are assembled. */
export const AGENT_LOCAL_RULES: Rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: READ_VERBS }];
