/** A port, by name or number, of a Service in the Ingress's namespace. */
export interface Backend {
  readonly service: string;
  readonly port: string | number;
}

export interface PathMatch {
  /** `Start` matches any string with this prefix. `Regex` must match the whole string. */
  readonly type: 'Exact' | 'Prefix' | 'Start' | 'Regex';
  /** `/` as a prefix or start matches every path. A prefix has no trailing slash. */
  readonly value: string;
}

export const EVERY_PATH: PathMatch = { type: 'Prefix', value: '/' };

/** A routing rule. */
export interface Route {
  /** In lowercase. A leading `*.` matches one label; an empty host matches every host. */
  readonly host: string;
  readonly path: PathMatch;
  /** Undefined for the default backend, or if no backend exists. */
  readonly backend: Backend | undefined;
}
