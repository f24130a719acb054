import { trimmed } from '@fairway/base/trim';
import type { Route } from './call.ts';

/** A matching route with its path parameters, or the methods that the path supports. */
export type Match =
  | { readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly methods: readonly string[] };

interface Compiled {
  readonly route: Route;
  readonly segments: readonly string[];
}

/** Routes by path. Literal segments take precedence over parameters: `clusters/detail` before `clusters/{cluster}`. */
export class Routing {
  readonly #routes: readonly Compiled[];

  constructor(routes: readonly Route[]) {
    const named = (path: string) => path.split('/').filter((segment) => segment.startsWith('{')).length;
    this.#routes = routes
      .toSorted((a, b) => named(a.path) - named(b.path))
      .map((route) => ({ route, segments: route.path.split('/') }));
  }

  /** Matches a path below `/v1`; undefined if there is no such path. */
  find(method: string, path: readonly string[]): Match | undefined {
    const matching = this.#routes.filter(
      ({ segments }) => segments.length === path.length && segments.every((segment, i) => fits(segment, path[i])),
    );
    const found = matching.find(({ route }) => route.method === method);
    if (found === undefined)
      return matching.length === 0 ? undefined : { methods: matching.map(({ route }) => route.method) };
    const params = found.segments.flatMap((segment, i) =>
      segment.startsWith('{') ? [[segment.slice(1, -1), path[i] ?? ''] as const] : [],
    );
    return { route: found.route, params: Object.fromEntries(params) };
  }
}

function fits(segment: string, part: string | undefined): boolean {
  return segment.startsWith('{') ? part !== undefined && part !== '' : segment === part;
}

/** The decoded segments of a path, ignoring a trailing slash; undefined if it cannot be decoded. */
export function segmentsOf(path: string): readonly string[] | undefined {
  try {
    return trimmed(path, '/').split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
