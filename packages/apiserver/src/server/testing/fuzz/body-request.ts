import * as fc from 'fast-check';
import type { BodyRequest } from '../../body-request.ts';

/** The parts of a request that body decoders use. */
export function bodyRequest(query: string): BodyRequest {
  return {
    body: '',
    headers: {},
    query: new URLSearchParams(query),
    namespace: '',
    name: '',
    verb: 'create',
    warn: () => undefined,
    resource: { group: '', version: 'v1', kind: 'Pod' },
  };
}

export const VALIDATION = fc.constantFrom('', 'fieldValidation=Strict', 'fieldValidation=Ignore');
