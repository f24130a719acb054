export const CILIUM_GROUP = 'cilium.io';

export const READ_VERBS = ['get', 'list', 'watch'];

const BGP_KINDS = [
  'ciliumbgpadvertisements',
  'ciliumbgpclusterconfigs',
  'ciliumbgpnodeconfigoverrides',
  'ciliumbgpnodeconfigs',
  'ciliumbgppeerconfigs',
];

/** The definitions that the operator creates and updates, by plural name. */
export const DEFINED_KINDS = [
  ...BGP_KINDS,
  'ciliumbgppeeringpolicies',
  'ciliumcidrgroups',
  'ciliumclusterwideenvoyconfigs',
  'ciliumclusterwidenetworkpolicies',
  'ciliumdatapathplugins',
  'ciliumegressgatewaypolicies',
  'ciliumendpoints',
  'ciliumendpointslices',
  'ciliumenvoyconfigs',
  'ciliumgatewayclassconfigs',
  'ciliumidentities',
  'ciliuml2announcementpolicies',
  'ciliumloadbalancerippools',
  'ciliumlocalredirectpolicies',
  'ciliumnetworkpolicies',
  'ciliumnodeconfigs',
  'ciliumnodes',
  'ciliumpodippools',
];

/** Definitions from which the operator also clears the status that earlier versions wrote. */
export const KINDS_WITH_STATUS = BGP_KINDS;
