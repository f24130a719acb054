/** An error in the format of Magnum's API. */
export class MagnumError extends Error {
  override readonly name = 'MagnumError';
  readonly status: number;
  /** Seconds for `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    detail: string,
    options: { readonly cause?: unknown; readonly retryAfterSeconds?: number | undefined } = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The 400 for invalid input. */
export function invalidInput(detail: string): MagnumError {
  return new MagnumError(400, detail);
}

export function clusterNotFound(ident: string): MagnumError {
  return new MagnumError(404, `Cluster ${ident} could not be found.`);
}

export function nodegroupNotFound(ident: string): MagnumError {
  return new MagnumError(404, `Nodegroup ${ident} could not be found.`);
}

export function templateNotFound(ident: string, status: 400 | 404 = 404): MagnumError {
  return new MagnumError(status, `ClusterTemplate ${ident} could not be found.`);
}

/** The 403 in the wording of oslo.policy. */
export function notAllowed(action: string): MagnumError {
  return new MagnumError(403, `Policy doesn't allow ${action} to be performed.`);
}

/** The body of an error. `openstack coe` displays only its title, other clients its detail. */
export function errorBody({ status, message }: MagnumError, requestId: string): object {
  if (status === 401) return { error: { code: 401, title: 'Unauthorized', message } };
  const code = status >= 500 ? 'server' : 'client';
  return { errors: [{ request_id: requestId, code, status, title: message, detail: message, links: [] }] };
}
