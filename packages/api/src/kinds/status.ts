import type { Condition } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';

/** `metav1.Condition` as a schema; a list of them merges by type. */
export function conditions() {
  return z
    .array(
      z
        .object({
          type: z.string().max(316).describe('What is being said, in CamelCase.'),
          status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
          reason: z.string().max(1024).describe('One CamelCase word for machines; tells whose turn it is.'),
          message: z.string().max(32768).describe('A sentence for people.'),
          lastTransitionTime: timestamp().describe('When status last changed.'),
          observedGeneration: z
            .int()
            .min(0)
            .meta({ format: 'int64' })
            .exactOptional()
            .describe('Generation of the spec that this is about.'),
        })
        .describe('One aspect of the state of the object.') satisfies z.ZodType<Condition>,
    )
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });
}

export function lastOperation() {
  return z.object({
    type: z
      .enum(['Create', 'Reconcile', 'Scale', 'Upgrade', 'Replace', 'Heal', 'Drain', 'RotateCredentials', 'Delete'])
      .describe('What is being done.'),
    state: z
      .enum(['Pending', 'Processing', 'Succeeded', 'Error', 'Failed'])
      .describe('How it stands. Error is retried; Failed waits for a change of the spec or of the cloud.'),
    progress: int32().min(0).max(100).describe('Percent done.'),
    description: z.string().describe('The current step, or what it waits for and whose turn it is.'),
    lastUpdateTime: timestamp().describe('When anything of this last changed.'),
  });
}

export function observedGeneration() {
  return z
    .int()
    .min(0)
    .meta({ format: 'int64' })
    .describe('Generation of the spec that the controllers have acted on.');
}

export type LastOperation = z.infer<ReturnType<typeof lastOperation>>;
export type OperationType = LastOperation['type'];
export type OperationState = LastOperation['state'];
