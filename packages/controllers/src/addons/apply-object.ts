import { type AddonObject, describeObject } from '@fairway/addons/addon';
import { withoutFields } from '@fairway/addons/without-fields';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { type ApiError, isApiError, type StatusReason } from '@fairway/kube/object/api-error';
import { ofTenant, TenantApiError } from '@fairway/tenancy/connection/tenant-problem';

/** Who owns what Fairway applies in tenants' clusters. */
export const FIELD_MANAGER = 'fairway-addons';

/** Fields of an object that somebody else owns, with other values. */
export interface FieldConflict {
  /** As people know it. */
  readonly object: string;
  readonly fields: readonly string[];
  readonly managers: readonly string[];
}

/** What became of an object. */
export type Applied =
  | { readonly conflict?: FieldConflict | undefined; readonly refusal?: undefined }
  | { readonly refusal: Refusal };

/** What the cluster said against an object. */
export interface Refusal {
  readonly object: string;
  /** The API's, in one word. */
  readonly reason: string;
  readonly message: string;
}

export interface ApplyOptions {
  /** Whether to take fields over that others own. */
  readonly isForced: boolean;
  /** Only asks whether it would be accepted. */
  readonly dryRun?: boolean;
  readonly signal: AbortSignal;
}

/**
 * Applies an object. Fields that others own are left as they are and reported, and the rest is applied without them. Rejects with a TenantApiError
 * where the API does not answer, or can't.
 */
export async function applyObject(
  client: KubeClient,
  wanted: AddonObject,
  { isForced, dryRun = false, signal }: ApplyOptions,
): Promise<Applied> {
  const resource = client.resource(wanted.type);
  const options = { fieldManager: FIELD_MANAGER, dryRun, signal };
  try {
    await ofTenant(resource.apply(wanted.object, { ...options, ...(isForced && { force: true }) }));
    return {};
  } catch (error) {
    const conflict = conflictOf(error, wanted);
    if (conflict === undefined) return { refusal: refusalOf(error, wanted) };
    const rest = withoutFields(wanted.object, conflict.fields);
    // Where a field is not found in it, all of it stays as it is.
    if (rest === undefined) return { conflict };
    try {
      await ofTenant(resource.apply(rest, options));
      return { conflict };
    } catch (again) {
      // Somebody is at it right now: the next look tells.
      return conflictOf(again, wanted) ? { conflict } : { refusal: refusalOf(again, wanted) };
    }
  }
}

function conflictOf(error: unknown, wanted: AddonObject): FieldConflict | undefined {
  const answer = answerOf(error);
  if (!isApiError(answer, 'Conflict')) return undefined;
  const causes = answer.causes.filter(({ reason }) => reason === 'FieldManagerConflict');
  if (causes.length === 0) return undefined;
  const managers = causes.flatMap(({ message = '' }) => /"([^"]*)"/.exec(message)?.[1] ?? []);
  return {
    object: describeObject(wanted),
    fields: [...new Set(causes.flatMap(({ field }) => field ?? []))].sort(),
    managers: [...new Set(managers)].sort(),
  };
}

/** Answers that stay the same however often one asks. */
const REFUSALS: readonly StatusReason[] = [
  'BadRequest',
  'Forbidden',
  'Invalid',
  'RequestEntityTooLarge',
  'MethodNotAllowed',
];
/** A tenant's webhook or policy refuses with any code that it likes; one that is not reached is an InternalError. */
const BY_TENANT = /admission webhook "|failed calling webhook|ValidatingAdmissionPolicy '/;

/** Whether it is the cluster that does not want it, rather than an API server that can't. */
export function isRefusal(answer: unknown): answer is ApiError {
  return isApiError(answer) && (REFUSALS.includes(answer.reason) || BY_TENANT.test(answer.message));
}

/** Throws an error that is no answer. */
function refusalOf(error: unknown, wanted: AddonObject): Refusal {
  const answer = answerOf(error);
  if (!isRefusal(answer)) throw error;
  return { object: describeObject(wanted), reason: answer.reason, message: wordsOf(answer) };
}

/** What the tenant's API server said, where the error is that. */
export function answerOf(error: unknown): unknown {
  return error instanceof TenantApiError ? error.cause : error;
}

/** Its first words, whoever wrote them: a webhook of the tenant may. */
function wordsOf({ message }: ApiError): string {
  return message.length > MAX_WORDS ? `${message.slice(0, MAX_WORDS)}…` : message;
}

const MAX_WORDS = 300;
