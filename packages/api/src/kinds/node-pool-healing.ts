import { z } from 'zod';
import { int32, minutes, timestamp } from '../schema/scalars.ts';

/** Reinstall or Replace. */
export function healingStrategy() {
  return z.enum(['Reinstall', 'Replace']);
}

export const poolHealing = z
  .object({
    enabled: z.boolean().default(true).describe('Whether unhealthy nodes are repaired automatically.'),
    strategy: healingStrategy()
      .optional()
      .describe(
        'Repair strategy. Reinstall: reinstall the same server, with its ports and addresses. Replace: create a new machine, then delete the old one. Default: the strategy that the plan sets.',
      ),
    notReadyTimeout: minutes()
      .optional()
      .describe(
        'Duration for which a node must be NotReady before it is repaired. Default: the duration that the plan sets.',
      ),
    maxUnhealthy: z
      .string()
      .max(4)
      .regex(/^([0-9]{1,3}|[1-9]?[0-9]%|100%)$/, 'must be a percentage such as "40%", or a number of nodes such as "2"')
      .default('40%')
      .describe(
        'Maximum number of unhealthy nodes: while more nodes are unhealthy, none is repaired, because the cause is unlikely to be the nodes themselves. A percentage applies both to the pool and to the whole cluster, and is rounded down to at least one node; a number applies to the pool.',
      ),
  })
  .prefault({})
  .describe('Healing of unhealthy nodes.');

const pastRepair = z
  .object({
    machine: z.string().max(253).describe('Name of the Machine.'),
    time: timestamp().describe('Time when the repair started.'),
    reason: z.string().max(1024).describe('Reason for the repair.'),
    strategy: healingStrategy().describe('Strategy of the repair.'),
    endTime: timestamp()
      .optional()
      .describe('Time when the machine worked again or was deleted. Absent while the repair is in progress.'),
    hasFailed: z
      .boolean()
      .optional()
      .describe('Whether the machine or its replacement was unhealthy again within an hour.'),
  })
  .describe('Repair of a machine.');

const handledRequest = z
  .object({
    machine: z.string().max(253).describe('Name of the Machine.'),
    value: z.string().max(1024).describe("Value of the Machine's annotation fairway.dev/repair-requested."),
  })
  .describe('Processed repair request.');

export const healingRecord = z
  .object({
    repairs: z
      .array(pastRepair)
      .max(10)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Repairs that are in progress or finished within the last hour.'),
    failures: int32().min(0).optional().describe('Number of consecutive repairs that did not help.'),
    notBefore: timestamp()
      .optional()
      .describe('Time before which no repair starts, because the last repairs did not help.'),
    requests: z
      .array(handledRequest)
      .max(999)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Processed repair requests.'),
  })
  .describe('Observed state of healing in the pool.');

export type HealingStrategy = z.infer<ReturnType<typeof healingStrategy>>;
export type HealingRecord = z.infer<typeof healingRecord>;
export type PastRepair = z.infer<typeof pastRepair>;
