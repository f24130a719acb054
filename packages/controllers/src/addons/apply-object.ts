import { type AddonObject, describeObject } from '@fairway/addons/addon';
import { withoutFields } from '@fairway/addons/without-fields';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { type ApiError, isApiError, type StatusReason } from '@fairway/kube/object/api-error';
import { ofTenant, TenantApiError } from '@fairway/tenancy/connection/tenant-problem';

/** The field manager of what Fairway applies in tenants' clusters. */
export const FIELD_MANAGER = 'fairway-addons';

/** Fields of an object that someone else owns, with other values. */
export interface FieldConflict {
  /** In the form that users know. */
  readonly object: string;
  readonly fields: readonly string[];
  readonly managers: readonly string[];
}

/** The result for an object. */
export type Applied =
  | { readonly conflict?: FieldConflict | undefined; readonly refusal?: undefined }
  | { readonly refusal: Refusal };

/** The cluster's rejection of an object. */
export interface Refusal {
  readonly object: string;
  /** The API's reason, in one word. */
  readonly reason: string;
  readonly message: string;
}

export interface ApplyOptions {
  /** Whether to take ownership of fields from others. */
  readonly isForced: boolean;
  /** Dry run: only checks whether it would be accepted. */
  readonly dryRun?: boolean;
  readonly signal: AbortSignal;
}

/**
 * Applies an object. Fields that others own are left unchanged and reported, and the rest is applied without them. Rejects with a
 * TenantApiError if the API does not respond, or cannot.
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
    // If a field is not found in it, the whole value is unchanged.
    if (rest === undefined) return { conflict };
    try {
      await ofTenant(resource.apply(rest, options));
      return { conflict };
    } catch (again) {
      // Someone is changing it right now: the next check finds out.
      return conflictOf(again, wanted) ? { conflict } : { refusal: refusalOf(again, wanted) };
    }
  }
}

function conflictOf(error: unknown, wanted: AddonObject): FieldConflict | undefined {
  const answer = causeOf(error);
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

/** Responses that do not change with a retry. */
const REFUSALS: readonly StatusReason[] = [
  'BadRequest',
  'Forbidden',
  'Invalid',
  'RequestEntityTooLarge',
  'MethodNotAllowed',
];
/** A tenant's webhook or policy may reject with any code; an unreachable one is an InternalError. */
const BY_TENANT = /admission webhook "|failed calling webhook|ValidatingAdmissionPolicy '/;

/** Whether the cluster rejects it, rather than the API server being unable to process it. */
export function isRefusal(answer: unknown): answer is ApiError {
  return isApiError(answer) && (REFUSALS.includes(answer.reason) || BY_TENANT.test(answer.message));
}

/** Rethrows an error that is not a response. */
function refusalOf(error: unknown, wanted: AddonObject): Refusal {
  const answer = causeOf(error);
  if (!isRefusal(answer)) throw error;
  return { object: describeObject(wanted), reason: answer.reason, message: wordsOf(answer) };
}

/** The response of the tenant's API server, if the error is one. */
export function causeOf(error: unknown): unknown {
  return error instanceof TenantApiError ? error.cause : error;
}

/** The start of its message, whoever wrote it: possibly a webhook of the tenant. */
function wordsOf({ message }: ApiError): string {
  return message.length > MAX_WORDS ? `${message.slice(0, MAX_WORDS)}…` : message;
}

const MAX_WORDS = 300;
