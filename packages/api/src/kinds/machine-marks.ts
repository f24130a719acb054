import { z } from 'zod';
import { timestamp } from '../schema/scalars.ts';
import { healingStrategy } from './node-pool-healing.ts';

const mark = <Shape extends z.ZodRawShape>(text: string, due: string, shape: Shape) =>
  z
    .object({
      due: z.boolean().describe(due),
      reason: z
        .string()
        .max(1024)
        .describe(
          'Machine-readable reason in CamelCase: why the mark was set, or what it is waiting for; indicates who must act.',
        ),
      message: z.string().max(1024).describe('Human-readable message.'),
      time: timestamp().describe('Time when the mark was set.'),
      ...shape,
    })
    .describe(text);

/**
 * Requests from other controllers concerning a machine. Each key has one writer; only the pool's controller acts on
 * them, in the order of docs/decisions/0037-who-decides-about-machines.md.
 */
export const machineMarks = z
  .object({
    repair: mark('Mark of a machine whose node is unhealthy. Set by healing.', 'Whether the repair may start.', {
      strategy: healingStrategy().describe(
        'Repair strategy. Reinstall: reinstall the same server. Replace: create a new machine for this one.',
      ),
    }).optional(),
    renewal: mark(
      "Mark of a machine that does not match the pool's template. Set by upgrades.",
      'Whether the update may start.',
      {
        strategy: z
          .enum(['InPlace', 'Rolling'])
          .describe(
            'Update strategy. InPlace: reinstall the same server. Rolling: create a new machine first, then delete this one.',
          ),
      },
    ).optional(),
    unneeded: mark(
      'Mark of a machine whose pods fit elsewhere, or that has no pods. Set by autoscaling.',
      'Whether the machine is deleted when the pool shrinks.',
      {},
    ).optional(),
  })
  .describe('Marks that specify what should happen to the machine, and why.');

export type MachineMarks = z.infer<typeof machineMarks>;
export type RepairMark = NonNullable<MachineMarks['repair']>;
export type RenewalMark = NonNullable<MachineMarks['renewal']>;
export type UnneededMark = NonNullable<MachineMarks['unneeded']>;
