export const CILIUM_GROUP = 'cilium.io';

export const READ_VERBS = ['get', 'list', 'watch'];

const BGP = [
  'ciliumbgpadvertisements',
  'ciliumbgpclusterconfigs',
  'ciliumbgpnodeconfigoverrides',
  'ciliumbgpnodeconfigs',
  'ciliumbgppeerconfigs',
];

/** The definitions that the operator creates and updates, by their plural names. */
export const DEFINED = [
  ...BGP,
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

/** Those whose status from earlier versions the operator also clears. */
export const DEFINED_WITH_STATUS = BGP;
