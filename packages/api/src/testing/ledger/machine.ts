import { acts, type FieldLedger, unproven } from './entry.ts';

const SHAPES = 'packages/controllers/src/behaviour/shapes.test.ts';

export const MACHINE_FIELDS: FieldLedger = {
  'spec.clusterName': unproven('acts'),
  'spec.nodePoolName': unproven('acts'),
  'spec.zone': acts(SHAPES, 'its nodes are spread over its zones'),
  'spec.flavor': acts(SHAPES, 'its flavor is told by its id'),
  'spec.image': unproven('acts'),
  'spec.version': unproven('acts'),
  'spec.rootVolume.sizeGiB': unproven('acts'),
  'spec.rootVolume.type': unproven('acts'),
  'spec.serverGroupID': acts(SHAPES, 'its nodes share a server group, which goes with the pool'),
  'spec.floatingIP': acts(SHAPES, 'floating IPs come and go with its spec, and its servers stay'),
  'spec.providerID': unproven('acts'),
};
