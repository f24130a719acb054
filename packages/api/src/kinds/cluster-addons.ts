import { z } from 'zod';
import { timestamp } from '../schema/scalars.ts';

/** One item in a Cluster's `status.addons`. */
const addonStatus = z
  .object({
    name: z.string().max(63).describe('Name of the add-on.'),
    version: z.string().max(63).optional().describe('Target version of the add-on.'),
    state: z
      .enum(['Ready', 'Progressing', 'Degraded', 'Modified', 'NotManaged', 'Unreached', 'Failed'])
      .describe(
        'State of the add-on. Ready: it works. Progressing: it is being installed or updated. Degraded: it does not work. Modified: it works, but some of its values were changed in the cluster. NotManaged: the cluster has its own installation of the add-on, which Fairway does not touch. Unreached: the control plane cannot reach the pods of the add-on, so its APIs are unavailable. Failed: the cluster rejects it.',
      ),
    reason: z.string().max(1024).describe('Machine-readable reason in CamelCase; indicates who must act.'),
    message: z.string().max(1024).optional().describe('Human-readable message.'),
    lastTransitionTime: timestamp().describe('Time of the last change of the state.'),
  })
  .describe('Add-on that Fairway installs in the cluster.');

/** `status.addons` of a Cluster. */
export function addonStatuses() {
  return z
    .array(addonStatus)
    .max(20)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
    .describe('Add-ons that Fairway installs in the cluster, and their state.');
}

export type AddonStatus = z.infer<typeof addonStatus>;
