import type { Condition } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';
import { type TransitionRule, transitionRule } from './kind.ts';

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
      .enum([
        'Create',
        'Reconcile',
        'Scale',
        'Upgrade',
        'Replace',
        'Heal',
        'Reinstall',
        'Drain',
        'RotateCredentials',
        'Restore',
        'Hibernate',
        'Wake',
        'Delete',
      ])
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

const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function originUID() {
  return z
    .string()
    .max(36)
    .regex(UID, 'must be a UID such as 123e4567-e89b-42d3-a456-426614174000')
    .describe(
      'UID that the object had in the Fairway where it was made. What belongs to it in the cloud is marked with this one. Only a restored object has it; it never changes.',
    );
}

interface Origin {
  readonly status?: { readonly originUID?: string | undefined; readonly observedGeneration?: number | undefined };
}

/** An object's cloud identity is set once, before Fairway acts on it. */
export const ORIGIN_RULES: readonly TransitionRule[] = [
  transitionRule<Origin>({
    field: 'status.originUID',
    cel: '!has(oldSelf.status) || !has(oldSelf.status.originUID) || (has(self.status) && has(self.status.originUID) && self.status.originUID == oldSelf.status.originUID)',
    holds: (object, old) => old.status?.originUID === undefined || object.status?.originUID === old.status.originUID,
    message: 'cannot be changed once it is set',
  }),
  transitionRule<Origin>({
    field: 'status.originUID',
    cel: '!has(self.status) || !has(self.status.originUID) || !has(oldSelf.status) || has(oldSelf.status.originUID) || !has(oldSelf.status.observedGeneration)',
    holds: (object, old) =>
      object.status?.originUID === undefined ||
      old.status?.originUID !== undefined ||
      old.status?.observedGeneration === undefined,
    message: 'can be set only before Fairway has acted on the object',
  }),
];

export type LastOperation = z.infer<ReturnType<typeof lastOperation>>;
export type OperationType = LastOperation['type'];
export type OperationState = LastOperation['state'];
