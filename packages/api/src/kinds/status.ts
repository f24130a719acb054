import type { Condition } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';
import { type TransitionRule, transitionRule } from './kind.ts';

/** `metav1.Condition` as a schema; condition lists are merged by type. */
export function conditions() {
  return z
    .array(
      z
        .object({
          type: z.string().max(316).describe('Type of the condition in CamelCase.'),
          status: z.enum(['True', 'False', 'Unknown']).describe('Status of the condition: True, False or Unknown.'),
          reason: z.string().max(1024).describe('Machine-readable reason in CamelCase; indicates who must act.'),
          message: z.string().max(32768).describe('Human-readable message.'),
          lastTransitionTime: timestamp().describe('Time of the last change of status.'),
          observedGeneration: z
            .int()
            .min(0)
            .meta({ format: 'int64' })
            .exactOptional()
            .describe('Generation of the spec on which the condition is based.'),
        })
        .describe('Condition of the object.') satisfies z.ZodType<Condition>,
    )
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });
}

/**
 * The status of an object that no controller has reconciled. Helm, Flux and other clients that use kstatus consider an
 * object without conditions current, and would proceed before anything has started.
 */
export const INITIAL_STATUS = {
  conditions: [
    {
      type: 'Ready',
      status: 'Unknown',
      reason: 'Provisioning',
      message: 'Waiting for Fairway to process it.',
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
      .describe('Type of the operation.'),
    state: z
      .enum(['Pending', 'Processing', 'Succeeded', 'Error', 'Failed'])
      .describe(
        'State of the operation. Error: it is retried. Failed: it waits for a change to the spec or in the cloud.',
      ),
    progress: int32().min(0).max(100).describe('Progress of the operation in percent.'),
    description: z.string().describe('Current step, or what the operation is waiting for and who must act.'),
    reason: z
      .string()
      .max(1024)
      .optional()
      .describe(
        'Machine-readable reason, in CamelCase, why the operation is waiting; indicates who must act. Empty if the operation is not waiting.',
      ),
    since: timestamp().optional().describe('Time since which the operation has been waiting for this reason.'),
    steps: z
      .object({
        done: int32().min(0).describe('Number of steps that are done.'),
        total: int32().min(0).describe('Total number of steps.'),
      })
      .optional()
      .describe(
        'Steps of the operation: for a Cluster, its network, its control plane and each node; for a NodePool, each node; for a Machine, its consecutive steps.',
      ),
    summary: z
      .string()
      .max(64)
      .optional()
      .describe('Operation and percentage, for the OPERATION column. Empty when the operation is over.'),
    startTime: timestamp().optional().describe('Time when the operation started.'),
    waitedSeconds: int32()
      .min(0)
      .optional()
      .describe(
        'Seconds up to lastUpdateTime during which the operation was waiting for others or for a scheduled time.',
      ),
    estimatedEndTime: timestamp().optional().describe('Estimated end. Empty if unknown.'),
    lastUpdateTime: timestamp().describe('Time of the last change of the operation.'),
  });
}

/** Measured durations of a cluster's operations, from which the durations of later operations are estimated. */
const MEASURED_OPERATIONS = ['ControlPlane', 'Hibernate', 'Wake', 'Reset', 'Restore'] as const;

export function durations() {
  return z
    .array(
      z.object({
        what: z.enum(MEASURED_OPERATIONS).describe('Operation, or the update of a control plane within an operation.'),
        seconds: int32()
          .min(1)
          .describe(
            'Duration of the last such operation in seconds, excluding the time that it was waiting for others.',
          ),
      }),
    )
    .max(MEASURED_OPERATIONS.length)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['what'] })
    .describe('Durations of the last operations, from which estimatedEndTime of later operations is calculated.');
}

export function observedGeneration() {
  return z
    .int()
    .min(0)
    .meta({ format: 'int64' })
    .describe('Generation of the spec that the controllers have processed.');
}

const UID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function originUID() {
  return z
    .string()
    .max(36)
    .regex(UID_PATTERN, 'must be a UID such as 123e4567-e89b-42d3-a456-426614174000')
    .describe(
      'UID of the object in the Fairway installation in which it was created. Its cloud resources are marked with this UID. Set only on restored objects; never changes.',
    );
}

interface Origin {
  readonly status?: { readonly originUID?: string | undefined; readonly observedGeneration?: number | undefined };
}

/** An object's cloud identity is set once, before Fairway acts on the object. */
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
export type MeasuredOperation = Durations[number]['what'];
export type OperationState = LastOperation['state'];
