import { ApiError, badRequest } from '@fairway/kube/object/api-error';

/** Parses a resourceVersion from a query or body; undefined if absent. */
export function parseRevision(text: string | null | undefined, context = ''): number | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  const revision = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(revision)) {
    throw badRequest(
      `${context}resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  return revision;
}

/** The 504 for a revision that this server has not reached, with the message of upstream's watch cache. */
export function tooLarge(revision: number, current: number): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
