import { ConditionReason } from '@fairway/api/conditions';
import { lastFailure } from '@fairway/kube/controller/attempts';
import { isOpenStackError, type OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { Problem } from '@fairway/tenancy/problem';
import { firstNames } from '../waits.ts';

/** The remaining cloud resources of a cluster, for messages. */
export interface RemainingResources {
  readonly what: string;
  readonly retryAfterMs?: number;
  /** What blocks its deletion; absent while it is in progress. */
  readonly held?: Problem | undefined;
}

/** Parameters for calls that delete a cluster's cloud resources. */
export interface DeletionOptions extends CallOptions {
  /** Whether the deletion is taking longer than usual for a cloud. */
  readonly isLate: boolean;
}

/** What the deletion of a cluster with these remaining resources is waiting for. */
export function remainingProblem({ what, held }: RemainingResources): Problem {
  return held ?? { reason: ConditionReason.Deleting, message: `waiting for ${what}` };
}

/** The name under which users can find a resource: its ID, and its name if it has one. */
export function displayName(
  noun: string,
  { id, name }: { readonly id: string; readonly name?: string | null | undefined },
): string {
  return name ? `${noun} ${name} (${id})` : `${noun} ${id}`;
}

/** Names of several resources of one kind: the first few by name, and the number of others. */
export function displayNames(
  noun: string,
  items: readonly { readonly id: string; readonly name?: string | null | undefined }[],
): string {
  return firstNames(items.map((item) => displayName(noun, item)));
}

/** One problem for several blocked objects: the first one's message, and the number of others. */
export function joinHeld(problems: readonly (Problem | undefined)[]): Problem | undefined {
  const held = problems.filter((problem) => problem !== undefined);
  const [first] = held;
  if (first === undefined) return undefined;
  const parts = held.slice(0, MAX_PARTS).map(({ message }) => message);
  const more = held.length - parts.length;
  return { reason: first.reason, message: [...parts, ...(more > 0 ? [`and ${more} more`] : [])].join('; ') };
}

const MAX_PARTS = 2;

/** Kinds of errors that concern one object; other errors would also affect the next request. */
function isRefusal(error: unknown): OpenStackError | undefined {
  const failure = lastFailure(error);
  return isOpenStackError(failure, 'conflict') || isOpenStackError(failure, 'badRequest') ? failure : undefined;
}

/**
 * Deletes each item, and continues with the others if the cloud rejects one. Resolves with what `explain` returns for the rejected ones;
 * rejects with any other error.
 */
export async function removeEach<T>(
  items: readonly T[],
  remove: (item: T) => Promise<void>,
  explain: (item: T, refusal: OpenStackError) => Problem | Promise<Problem>,
): Promise<Problem | undefined> {
  const held: Problem[] = [];
  for (const item of items) {
    try {
      await remove(item);
    } catch (error) {
      const refusal = isRefusal(error);
      if (refusal === undefined) throw error;
      held.push(await explain(item, refusal));
    }
  }
  return joinHeld(held);
}

/** The cloud's message, without the ID, which is already mentioned. */
function refusalMessage({ detail }: OpenStackError, { id }: { readonly id: string }): string {
  return detail.slice(0, MAX_MESSAGE_LENGTH).replaceAll(id, '…').replace(/\.$/, '');
}

const MAX_MESSAGE_LENGTH = 300;

/** The rejection of a named object, without further explanation. */
export function refused(
  noun: string,
  item: { readonly id: string; readonly name?: string | null | undefined },
  refusal: OpenStackError,
): Problem {
  const message = `${displayName(noun, item)} cannot be deleted: ${refusalMessage(refusal, item)}; delete or detach whatever else uses it, and Fairway continues automatically`;
  return { reason: ConditionReason.ResourceInUse, message };
}

/** How long the cloud may take before a delay is reported. */
const DELETION_TIMEOUT_MS = 300_000;

/** Whether a deletion that started at that time is taking longer than usual for a cloud. */
export function isLate(startTime: string | undefined, nowMs: number): boolean {
  return nowMs > Date.parse(startTime ?? '') + DELETION_TIMEOUT_MS;
}
