import type { Route } from './call.ts';

/** A route and the parts of the path that it names; or what the path does have. */
export type Match =
  | { readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly methods: readonly string[] };

interface Compiled {
  readonly route: Route;
  readonly segments: readonly string[];
}

/** Routes by path. What is written out comes before what is named: `clusters/detail` before `clusters/{cluster}`. */
export class Routing {
  readonly #routes: readonly Compiled[];

  constructor(routes: readonly Route[]) {
    const named = (path: string) => path.split('/').filter((segment) => segment.startsWith('{')).length;
    this.#routes = routes
      .toSorted((a, b) => named(a.path) - named(b.path))
      .map((route) => ({ route, segments: route.path.split('/') }));
  }

  /** Of a path below `/v1`; undefined: there is nothing. */
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

/** The segments of a path, decoded; a slash at the end is none. Undefined for one that can't be decoded. */
export function segmentsOf(path: string): readonly string[] | undefined {
  try {
    return path
      .replace(/^\/+|\/+$/g, '')
      .split('/')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
