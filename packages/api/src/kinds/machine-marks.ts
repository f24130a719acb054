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
        .describe('One CamelCase word for machines: why, or what it waits for; tells whose turn it is.'),
      message: z.string().max(1024).describe('A sentence for people.'),
      time: timestamp().describe('Since when the mark is there.'),
      ...shape,
    })
    .describe(text);

/**
 * What others than the pool's controller want done with a machine. Each key has one writer; the pool's controller alone acts on them, in the order of
 * docs/decisions/0037-who-decides-about-machines.md.
 */
export const machineMarks = z
  .object({
    repair: mark('The node is broken. Written by healing.', 'Whether it is its turn to be repaired.', {
      strategy: healingStrategy().describe('Reinstall: the same server again. Replace: a new machine for this one.'),
    }).optional(),
    renewal: mark(
      "The machine is not as the pool's template asks for. Written by upgrades.",
      'Whether it is its turn to be renewed.',
      {
        strategy: z
          .enum(['InPlace', 'Rolling'])
          .describe('InPlace: the same server is installed again. Rolling: a new machine first, then this one goes.'),
      },
    ).optional(),
    unneeded: mark(
      'Its pods fit elsewhere, or it has none. Written by autoscaling.',
      'Whether it goes when the pool shrinks.',
      {},
    ).optional(),
  })
  .describe('What is to become of the machine, and why.');

export type MachineMarks = z.infer<typeof machineMarks>;
export type RepairMark = NonNullable<MachineMarks['repair']>;
export type RenewalMark = NonNullable<MachineMarks['renewal']>;
export type UnneededMark = NonNullable<MachineMarks['unneeded']>;
