/** What a request names, as it was sent. */
export interface TargetParts {
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * Divides the target of a request at its first question mark. A second one belongs to the name of a parameter, as servers in Go have it; without the first before it, URLSearchParams would take it
 * for the mark.
 */
export function splitTarget(target: string): TargetParts {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark)) };
}
