/** The raw target of a request. */
export interface TargetParts {
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * Splits the target of a request at its first question mark. A second question mark belongs to a parameter's name, as
 * in Go's servers; URLSearchParams would drop it if the first one were omitted.
 */
export function splitTarget(target: string): TargetParts {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark)) };
}
