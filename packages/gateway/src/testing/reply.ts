import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ApiError } from '@fairway/kube/object/api-error';

/** The result of a request, with its warnings. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly warnings: string;
}

/** A request, with the response's warnings; errors are results too. */
export async function replyTo(
  client: KubeClient,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
): Promise<Reply> {
  const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
  try {
    const answer = await client.raw({ method, path, headers, ...(body && { body: JSON.stringify(body) }) });
    const warnings = answer.headers['warning'] ?? '';
    return { status: answer.status, body: JSON.parse(await answer.text()), warnings };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.code, body: error.toStatus(), warnings: '' };
  }
}
