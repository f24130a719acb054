import { acts, type FieldLedger } from './entry.ts';

const SHAPES = 'packages/controllers/src/behaviour/shapes.test.ts';

const SPEC_FIELDS = 'packages/controllers/src/behaviour/spec-fields.test.ts';

export const MACHINE_FIELDS: FieldLedger = {
  'spec.clusterName': acts(SHAPES, 'its nodes are spread over its zones'),
  'spec.nodePoolName': acts(SPEC_FIELDS, '$field of its machine'),
  'spec.zone': acts(SHAPES, 'its nodes are spread over its zones'),
  'spec.flavor': acts(SHAPES, 'its flavor is told by its id'),
  'spec.image': acts(SPEC_FIELDS, '$field of its machine'),
  'spec.version': acts(SPEC_FIELDS, 'a node is installed as plan, release and machine say'),
  'spec.rootVolume.sizeGiB': acts(SPEC_FIELDS, '$field of its machine'),
  'spec.rootVolume.type': acts(SPEC_FIELDS, '$field of its machine'),
  'spec.serverGroupID': acts(SHAPES, 'its nodes share a server group, which goes with the pool'),
  'spec.authorityGeneration': acts(
    'packages/controllers/src/behaviour/credential-rotation.test.ts',
    'prepares with nodes renewed $type, and is completed when that is asked for',
  ),
  'spec.reinstallTime': acts(
    'packages/controllers/src/behaviour/reinstall.test.ts',
    'keeps its server, address and Node, gets a new disk, and is Ready again',
  ),
  'spec.onDrainTimeout': acts(
    'packages/controllers/src/behaviour/held-drains.test.ts',
    'waits beyond the time limit for the user, for hours and for next to nothing, and is forced by a word',
  ),
  'spec.resetTime': acts(
    'packages/controllers/src/behaviour/reset.test.ts',
    'servers that are reinstalled keep names and addresses, and join the cluster that begins anew',
  ),
  'spec.floatingIP': acts(SHAPES, 'floating IPs come and go with its spec, and its servers stay'),
};
