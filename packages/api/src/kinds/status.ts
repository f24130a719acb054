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

/**
 * The status of an object that no controller has looked at. Helm, Flux and all who wait by kstatus take an object without conditions for one that is as it
 * should be, and would go on before anything has begun.
 */
export const INITIAL_STATUS = {
  conditions: [
    {
      type: 'Ready',
      status: 'Unknown',
      reason: 'Provisioning',
      message: 'Waits for Fairway to look at it.',
      lastTransitionTime: '1970-01-01T00:00:00Z',
    },
  ],
};

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
        'Reset',
        'Delete',
      ])
      .describe('What is being done.'),
    state: z
      .enum(['Pending', 'Processing', 'Succeeded', 'Error', 'Failed'])
      .describe('How it stands. Error is retried; Failed waits for a change of the spec or of the cloud.'),
    progress: int32().min(0).max(100).describe('Percent done.'),
    description: z.string().describe('The current step, or what it waits for and whose turn it is.'),
    reason: z
      .string()
      .max(1024)
      .optional()
      .describe('What it waits for, in one CamelCase word; tells whose turn it is. Empty: it goes on.'),
    since: timestamp().optional().describe('Since when it waits for that.'),
    steps: z
      .object({
        done: int32().min(0).describe('Those that are done.'),
        total: int32().min(0).describe('All of them.'),
      })
      .optional()
      .describe(
        'What it consists of: of a Cluster its network, its control plane and each node; of a NodePool each node; of a Machine what is done to it one after another.',
      ),
    summary: z
      .string()
      .max(64)
      .optional()
      .describe('What is being done and the percentage, for the OPERATION column; empty when it is over.'),
    startTime: timestamp().optional().describe('When it began.'),
    waitedSeconds: int32()
      .min(0)
      .optional()
      .describe('How long of the time since then it has waited, up to lastUpdateTime, for others or for its time.'),
    estimatedEndTime: timestamp().optional().describe('When it is expected to be done; empty while that is not known.'),
    lastUpdateTime: timestamp().describe('When anything of this last changed.'),
  });
}

/** What Fairway has measured of a cluster, and tells the next time from. */
const MEASURED = ['ControlPlane', 'Hibernate', 'Wake', 'Reset', 'Restore'] as const;

export function durations() {
  return z
    .array(
      z.object({
        what: z.enum(MEASURED).describe('An operation, or the update of a control plane within one.'),
        seconds: int32().min(1).describe('How long it took the last time, without what it has waited for others.'),
      }),
    )
    .max(MEASURED.length)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['what'] })
    .describe('How long operations took the last time: estimatedEndTime of the next comes from it.');
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
export type Durations = z.infer<ReturnType<typeof durations>>;
export type Measured = Durations[number]['what'];
export type OperationState = LastOperation['state'];
