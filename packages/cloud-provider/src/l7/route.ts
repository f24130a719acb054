/** A port of a Service of the Ingress's namespace, by its name or number. */
export interface Backend {
  readonly service: string;
  readonly port: string | number;
}

export interface PathMatch {
  /** `Start`: the text begins so, wherever its parts end. `Regex`: all of it matches. */
  readonly type: 'Exact' | 'Prefix' | 'Start' | 'Regex';
  /** `/` as a prefix or start is every path. A prefix has no slash at its end. */
  readonly value: string;
}

export const EVERY_PATH: PathMatch = { type: 'Prefix', value: '/' };

/** What of the requests goes where. */
export interface Route {
  /** In small letters; `*.` first for any one label; empty for every host. */
  readonly host: string;
  readonly path: PathMatch;
  /** Undefined: to the default backend, or, if there is none, nowhere. */
  readonly backend: Backend | undefined;
}
