import type { ClusterRole } from '@fairway/kube/kinds/generated/types';
import { CILIUM_GROUP, READ_VERBS } from './kinds.ts';

type Rules = NonNullable<ClusterRole['rules']>;

/**
 * The kinds that an agent watches, including some that it does not use: if it is denied access to any of them, it
 * waits forever.
 */
const WATCHED_RESOURCES = [
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

const ciliumRule = (resources: string[], verbs: string[]) => ({ apiGroups: [CILIUM_GROUP], resources, verbs });

/**
 * Permissions in all namespaces. All Cilium release lines share one list, because two of them run during an upgrade.
 */
export const AGENT_CLUSTER_RULES: Rules = [
  { apiGroups: [''], resources: ['namespaces', 'services', 'pods', 'endpoints', 'nodes'], verbs: READ_VERBS },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: READ_VERBS },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: READ_VERBS },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: READ_VERBS },
  ciliumRule(WATCHED_RESOURCES, ['list', 'watch']),
  ciliumRule(['ciliumidentities', 'ciliumendpoints', 'ciliumnodes'], ['create']),
  ciliumRule(['ciliumidentities'], ['update']),
  ciliumRule(['ciliumendpoints'], ['get', 'delete']),
  ciliumRule(['ciliumnodes', 'ciliumnodes/status'], ['get', 'update']),
  ciliumRule(
    ['ciliumendpoints', 'ciliumendpoints/status', 'ciliuml2announcementpolicies/status', 'ciliumbgpnodeconfigs/status'],
    ['patch'],
  ),
];

/** Permissions in the add-ons' namespace, where the settings are assembled. */
export const AGENT_LOCAL_RULES: Rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: READ_VERBS }];
