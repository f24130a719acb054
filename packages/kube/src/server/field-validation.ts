import { badRequest } from '../object/api-error.ts';
import type { ResourceRequest } from './request.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** What the request wants done about fields that are unknown or there twice; upstream's default is to warn. */
export function fieldValidationOf(query: URLSearchParams): FieldValidation {
  const text = query.get('fieldValidation');
  switch (text) {
    case null:
    case '':
      return 'Warn';
    case 'Ignore':
    case 'Warn':
    case 'Strict':
      return text;
    default:
      throw badRequest(
        `fieldValidation: Unsupported value: ${JSON.stringify(text)}: supported values: "Ignore", "Strict", "Warn"`,
      );
  }
}

/** Refuses or warns of fields, as the request wants: `unknown field "spec.x"`, `duplicate field "spec.y"`. */
export function reportFields(request: ResourceRequest, messages: readonly string[]): void {
  if (messages.length === 0) return;
  switch (fieldValidationOf(request.query)) {
    case 'Ignore':
      return;
    case 'Warn':
      for (const message of messages) request.warn(message);
      return;
    case 'Strict': {
      const { kind, version } = request.resource;
      const detail = `strict decoding error: ${messages.join(', ')}`;
      throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${detail}`);
    }
  }
}
