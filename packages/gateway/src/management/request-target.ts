import { splitTarget } from '@fairway/apiserver/server/split-target';
import { badRequest } from '@fairway/kube/object/api-error';

/** The path and query of a request, parsed so that kube-apiserver can't interpret them differently. */
export interface RequestTarget {
  /** As received, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * Parses a request target. Go decodes a path before splitting it, and removes dots and double slashes; Node does
 * neither. A target that the two would interpret differently is rejected with 400: otherwise a request could reach a
 * path that the gateway has not checked.
 */
export function parseRequestTarget(url: string): RequestTarget {
  const parts = splitTarget(url);
  const { path } = parts;
  // A fragment is never sent: some implementations strip it, others treat it as part of the name.
  if (!path.startsWith('/') || url.includes('#')) throw ambiguousPath(path);
  const [, ...segments] = path.split('/');
  // All implementations ignore a single trailing slash.
  if (segments.at(-1) === '') segments.pop();
  if (segments.some((segment) => !isPlain(segment))) throw ambiguousPath(path);
  return parts;
}

function isPlain(segment: string): boolean {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    return false;
  }
  return decoded !== '' && decoded !== '.' && decoded !== '..' && !/[/\\\p{Cc}]/u.test(decoded);
}

function ambiguousPath(path: string): Error {
  return badRequest(
    `the path ${JSON.stringify(path)} has empty, dotted or wrongly encoded segments, control characters or a fragment: use a normalized path`,
  );
}
