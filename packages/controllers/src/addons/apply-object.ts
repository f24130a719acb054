import { type AddonObject, describeObject } from '@fairway/addons/addon';
import { withoutFields } from '@fairway/addons/without-fields';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { type ApiError, isApiError, type StatusReason } from '@fairway/kube/object/api-error';
import { TenantApiError, wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';

/** The field manager for objects that Fairway applies in tenants' clusters. */
export const FIELD_MANAGER = 'fairway-addons';

/** Fields of an object that another manager owns with different values. */
export interface FieldConflict {
  /** Field paths in the notation familiar to users. */
  readonly object: string;
  readonly fields: readonly string[];
  readonly managers: readonly string[];
}

/** The result for an object. */
export type ApplyResult =
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
  /** Only checks whether the object would be accepted. */
  readonly dryRun?: boolean;
  readonly signal: AbortSignal;
}

/**
 * Applies an object. Fields that others own are left unchanged and reported, and the rest is applied without them.
 * Rejects with a TenantApiError if the API server does not respond or cannot process the request.
 */
export async function applyObject(
  client: KubeClient,
  desired: AddonObject,
  { isForced, dryRun = false, signal }: ApplyOptions,
): Promise<ApplyResult> {
  const resource = client.resource(desired.type);
  const options = { fieldManager: FIELD_MANAGER, dryRun, signal };
  try {
    await wrapTenantError(resource.apply(desired.object, { ...options, ...(isForced && { force: true }) }));
    return {};
  } catch (error) {
    const conflict = conflictOf(error, desired);
    if (conflict === undefined) return { refusal: refusalOf(error, desired) };
    const rest = withoutFields(desired.object, conflict.fields);
    // If a field is not found in the object, the whole value stays unchanged.
    if (rest === undefined) return { conflict };
    try {
      await wrapTenantError(resource.apply(rest, options));
      return { conflict };
    } catch (again) {
      // The object is being changed right now: the next check handles it.
      return conflictOf(again, desired) ? { conflict } : { refusal: refusalOf(again, desired) };
    }
  }
}

function conflictOf(error: unknown, desired: AddonObject): FieldConflict | undefined {
  const cause = causeOf(error);
  if (!isApiError(cause, 'Conflict')) return undefined;
  const causes = cause.causes.filter(({ reason }) => reason === 'FieldManagerConflict');
  if (causes.length === 0) return undefined;
  const managers = causes.flatMap(({ message = '' }) => /"([^"]*)"/.exec(message)?.[1] ?? []);
  return {
    object: describeObject(desired),
    fields: [...new Set(causes.flatMap(({ field }) => field ?? []))].sort(),
    managers: [...new Set(managers)].sort(),
  };
}

/** Responses for which a retry is pointless. */
const REFUSAL_REASONS: readonly StatusReason[] = [
  'BadRequest',
  'Forbidden',
  'Invalid',
  'RequestEntityTooLarge',
  'MethodNotAllowed',
];
/** A tenant's webhook or policy may reject with any code; an unreachable webhook results in an InternalError. */
const TENANT_REFUSAL_PATTERN = /admission webhook "|failed calling webhook|ValidatingAdmissionPolicy '/;

/** Whether the cluster rejects the object, rather than the API server being unable to process it. */
export function isRefusal(cause: unknown): cause is ApiError {
  return isApiError(cause) && (REFUSAL_REASONS.includes(cause.reason) || TENANT_REFUSAL_PATTERN.test(cause.message));
}

/** The rejection that the error represents. Rethrows any other error. */
function refusalOf(error: unknown, desired: AddonObject): Refusal {
  const cause = causeOf(error);
  if (!isRefusal(cause)) throw error;
  return { object: describeObject(desired), reason: cause.reason, message: refusalMessage(cause) };
}

/** The tenant API server's error inside a TenantApiError; otherwise the error itself. */
export function causeOf(error: unknown): unknown {
  return error instanceof TenantApiError ? error.cause : error;
}

/** The start of the error message, which may come from a tenant's webhook. */
function refusalMessage({ message }: ApiError): string {
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
}

const MAX_MESSAGE_LENGTH = 300;
