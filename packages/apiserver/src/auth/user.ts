/** The user of a request, as `authentication.k8s.io` UserInfo. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The credentials passed to an authenticator. */
export interface Credentials {
  /** From `Authorization: Bearer`. */
  readonly bearerToken?: string | undefined;
  /**
   * DER of the TLS client certificate. The TLS layer has only checked that the peer holds its key. The authenticator
   * verifies the chain, dates and purpose, because one listener may serve clusters with different CAs. Pass the same
   * array for all requests of a connection: the verification cache uses it as the key.
   */
  readonly clientCertificate?: Uint8Array | undefined;
  /** Client IP address, used only to limit the work done for unauthenticated clients, never to authenticate them. */
  readonly peer?: string | undefined;
}

/**
 * Authenticates these credentials. `undefined` means "not mine", and the next authenticator is tried; a rejection
 * with an Unauthorized ApiError means "mine, but invalid", which results in 401 even if anonymous requests are allowed.
 */
export interface Authenticator {
  authenticate(credentials: Credentials): Promise<UserInfo | undefined>;
  /**
   * Calls `end` when accepted credentials become invalid, to close long-lived requests such as watches. Returns an
   * unsubscribe function; undefined for unknown credentials. An authenticator without this method accepts credentials
   * for the whole duration of a request.
   */
  follow?(credentials: Credentials, end: () => void): (() => void) | undefined;
}

/** The attributes of a request, in terms of `authorization.k8s.io`. */
export type RequestAttributes = ResourceAttributes | NonResourceAttributes;

export interface ResourceAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Plural, without the subresource. */
  readonly resource: string;
  readonly subresource: string;
  /** '' for all namespaces or for cluster-scoped resources. */
  readonly namespace: string;
  /** '' if the request specifies no object. A list or watch with the field selector `metadata.name=x` specifies x. */
  readonly name: string;
  /** Raw field selector of a list, watch or deletecollection: nodes may only list the pods bound to them. */
  readonly fieldSelector?: string;
}

export interface NonResourceAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly path: string;
}

export type Decision =
  | { readonly allowed: true; readonly reason: string }
  | { readonly allowed: false; readonly reason: string };

export interface Authorizer {
  authorize(attributes: RequestAttributes): Decision | Promise<Decision>;
}
