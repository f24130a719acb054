import { badRequest } from '@fairway/kube/object/api-error';
import { type FieldError, invalid } from '@fairway/kube/object/field-error';
import type { BodyRequest } from './body-request.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** How to treat unknown and duplicate fields; upstream defaults to Warn. */
export function fieldValidationOf(query: URLSearchParams): FieldValidation {
  const text = query.get('fieldValidation');
  switch (text) {
    case 'Ignore':
    case 'Strict':
      return text;
    case null:
    default:
      return 'Warn';
  }
}

/** Maximum number of fields in a response. */
const MAX_MESSAGES = 100;

type FieldValidationRequest = Pick<BodyRequest, 'query' | 'warn' | 'resource' | 'verb' | 'name'>;

/** Fields for which a strict request will be rejected, together with fields found later. */
const deferred = new WeakMap<FieldValidationRequest, readonly string[]>();

/**
 * Like `reportFields`, but defers the rejection to the next report for the request: the rejection then includes all
 * fields.
 */
export function reportFieldsLater(request: FieldValidationRequest, messages: readonly string[]): void {
  if (fieldValidationOf(request.query) === 'Strict') deferred.set(request, messages);
  else reportFields(request, messages);
}

/**
 * Rejects or warns about fields, depending on fieldValidation: `unknown field "spec.x"`, `duplicate field "spec.y"`.
 * Deferred fields come last for built-in kinds, and first for custom ones, like upstream.
 */
export function reportFields(
  request: FieldValidationRequest,
  found: readonly string[],
  { waitingFirst = false }: { readonly waitingFirst?: boolean } = {},
): void {
  const waiting = deferred.get(request) ?? [];
  const messages = waitingFirst ? [...waiting, ...found] : [...found, ...waiting];
  deferred.delete(request);
  if (messages.length === 0) return;
  switch (fieldValidationOf(request.query)) {
    case 'Ignore':
      return;
    case 'Warn':
      for (const message of messages.slice(0, MAX_MESSAGES)) request.warn(message);
      return;
    case 'Strict': {
      const { kind, version } = request.resource;
      const more = messages.length > MAX_MESSAGES ? `, and ${messages.length - MAX_MESSAGES} more` : '';
      const detail = `strict decoding error: ${messages.slice(0, MAX_MESSAGES).join(', ')}${more}`;
      if (request.verb === 'patch') throw invalid(request.resource, request.name, [patchError(detail)]);
      throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${detail}`);
    }
  }
}

function patchError(detail: string): FieldError {
  return { type: 'FieldValueInvalid', field: 'patch', detail };
}
