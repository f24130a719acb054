import { z } from 'zod';
import { timestamp } from '../schema/scalars.ts';

/** One item of `status.addons` of a Cluster. */
const addonStatus = z
  .object({
    name: z.string().max(63).describe('Name of the add-on.'),
    version: z.string().max(63).optional().describe('Version that the cluster is to have.'),
    state: z
      .enum(['Ready', 'Progressing', 'Degraded', 'Modified', 'NotManaged', 'Unreached', 'Failed'])
      .describe(
        'Ready: it works. Progressing: it is being brought up or renewed. Degraded: it does not work. Modified: it works, and something in the cluster has other values than its own. NotManaged: the cluster has one of its own, which Fairway leaves alone. Unreached: the control plane does not reach its pods, so that what it serves is not offered. Failed: the cluster refuses it.',
      ),
    reason: z.string().max(1024).describe('One CamelCase word for machines; tells whose turn it is.'),
    message: z.string().max(1024).optional().describe('A sentence for people.'),
    lastTransitionTime: timestamp().describe('When the state last changed.'),
  })
  .describe('An add-on that Fairway installs in the cluster.');

/** `status.addons` of a Cluster. */
export function addonStatuses() {
  return z
    .array(addonStatus)
    .max(20)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
    .describe('What Fairway installs in the cluster, and how it fares.');
}

export type AddonStatus = z.infer<typeof addonStatus>;
