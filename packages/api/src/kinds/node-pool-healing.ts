import { z } from 'zod';
import { int32, minutes, timestamp } from '../schema/scalars.ts';

/** Reinstall or Replace. */
export function healingStrategy() {
  return z.enum(['Reinstall', 'Replace']);
}

export const poolHealing = z
  .object({
    enabled: z.boolean().default(true).describe('Whether broken nodes are repaired without being asked to.'),
    strategy: healingStrategy()
      .optional()
      .describe(
        "Reinstall: the same server again, with its ports and addresses. Replace: a new machine, then the old one goes. Empty: the plan's.",
      ),
    notReadyTimeout: minutes()
      .optional()
      .describe("How long a node is NotReady before it is repaired. Empty: the plan's."),
    maxUnhealthy: z
      .string()
      .max(4)
      .regex(/^([0-9]{1,3}|[1-9]?[0-9]%|100%)$/, 'must be a share such as "40%", or a number of nodes such as "2"')
      .default('40%')
      .describe(
        'While more nodes than this are broken, none is repaired: then it is not the nodes. A share holds for the pool and for the whole cluster, rounded down, and one at least; a number for the pool.',
      ),
  })
  .prefault({})
  .describe('What is done about nodes that fail.');

const pastRepair = z
  .object({
    machine: z.string().max(253).describe('Name of the Machine.'),
    time: timestamp().describe('When it began.'),
    reason: z.string().max(1024).describe('Why.'),
    strategy: healingStrategy().describe('How.'),
    endTime: timestamp().optional().describe('When the machine worked again, or was gone. Empty: it is under way.'),
    hasFailed: z.boolean().optional().describe('Whether it, or its replacement, was broken again within the hour.'),
  })
  .describe('A repair.');

const handledRequest = z
  .object({
    machine: z.string().max(253).describe('Name of the Machine.'),
    value: z.string().max(1024).describe('Value of its annotation fairway.dev/repair-requested.'),
  })
  .describe('A request that has been met.');

export const healingRecord = z
  .object({
    repairs: z
      .array(pastRepair)
      .max(10)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Repairs that are under way or ended within the last hour.'),
    failures: int32().min(0).optional().describe('How many repairs in a row did not help.'),
    notBefore: timestamp().optional().describe('The next repair waits until then, because the last ones did not help.'),
    requests: z
      .array(handledRequest)
      .max(999)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Requests for repairs that have been met.'),
  })
  .describe('What healing has done to the nodes of the pool.');

export type HealingStrategy = z.infer<ReturnType<typeof healingStrategy>>;
export type HealingRecord = z.infer<typeof healingRecord>;
export type PastRepair = z.infer<typeof pastRepair>;
