import { TestServer } from './test-server.ts';

const PODS = '/api/v1/namespaces/default/pods';

export interface HostileRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
}

export interface HostileReply {
  readonly status: number;
  readonly reason: string | undefined;
  readonly message: string;
}

/** The response from a server that stores the pod `p`. */
export async function replyTo(request: HostileRequest): Promise<HostileReply> {
  const server = new TestServer();
  await server.namespace();
  await server.call('POST', PODS, { metadata: { name: 'p' }, spec: { a: ['0123456789'] } });
  const headers = request.contentType === undefined ? {} : { 'content-type': request.contentType };
  const { status, body } = await server.call(request.method, request.path, request.body, headers);
  return { status, reason: body.reason, message: body.message ?? '' };
}
