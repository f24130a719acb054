import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ApiError } from '@fairway/kube/object/api-error';

/** The result of a request, with its warnings. */
export interface RawReply {
  readonly status: number;
  readonly body: unknown;
  readonly warnings: string;
}

/** Sends a request; returns the response with its warnings, even if it is an error. */
export async function rawReplyTo(
  client: KubeClient,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
): Promise<RawReply> {
  const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
  try {
    const rawResponse = await client.raw({ method, path, headers, ...(body && { body: JSON.stringify(body) }) });
    const warnings = rawResponse.headers['warning'] ?? '';
    return { status: rawResponse.status, body: JSON.parse(await rawResponse.text()), warnings };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.code, body: error.toStatus(), warnings: '' };
  }
}
