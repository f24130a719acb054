import type { ResourceRequest } from './request.ts';

/** The kind that a body is decoded as. */
export interface BodyKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The parts of a request that decoding uses. */
export interface BodyRequest
  extends Pick<ResourceRequest, 'body' | 'headers' | 'query' | 'namespace' | 'name' | 'verb' | 'warn'> {
  readonly resource: BodyKind;
}
