import { badRequest } from '@fairway/kube/object/api-error';
import { type FieldError, invalid } from '@fairway/kube/object/field-error';
import type { BodyRequest } from './body-request.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** What the request wants done about fields that are unknown or there twice; upstream's default is to warn. */
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

/** What an answer names of them. */
const MAX_MESSAGES = 100;

/** Refuses or warns of fields, as the request wants: `unknown field "spec.x"`, `duplicate field "spec.y"`. */
export function reportFields(
  request: Pick<BodyRequest, 'query' | 'warn' | 'resource' | 'verb' | 'name'>,
  messages: readonly string[],
): void {
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
