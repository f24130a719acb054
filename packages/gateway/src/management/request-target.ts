import { badRequest } from '@fairway/kube/object/api-error';

/** The path and query of a request, read so that kube-apiserver can't read them otherwise. */
export interface RequestTarget {
  /** As it was sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * Reads the target of a request. Go decodes a path before it splits it, drops dots and doubled slashes, and Node does neither: what the two would
 * understand differently is a 400, or somebody could be let through to where the gateway never looked.
 */
export function requestTarget(url: string): RequestTarget {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  // A fragment is never sent: some cut it off, others take it for a part of the name.
  if (!path.startsWith('/') || url.includes('#')) throw ambiguous(path);
  const [, ...segments] = path.split('/');
  // One slash at the end is the same place to everyone.
  if (segments.at(-1) === '') segments.pop();
  if (segments.some((segment) => !isPlain(segment))) throw ambiguous(path);
  return { path, query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)) };
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

function ambiguous(path: string): Error {
  return badRequest(
    `the path ${JSON.stringify(path)} has empty, dotted or wrongly encoded segments, control characters or a fragment: write it plainly`,
  );
}
