/** Who makes a request, as `authentication.k8s.io` UserInfo says it. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What an authenticator sees of a request. */
export interface Credentials {
  /** From `Authorization: Bearer`. */
  readonly bearerToken?: string | undefined;
  /**
   * DER of the TLS client certificate. The TLS layer has only checked that the peer holds its key: the authenticator
   * verifies chain, dates and purpose, since one entrance may serve clusters with different authorities. Hand over the
   * same array for all requests of a connection: the verification is remembered by it.
   */
  readonly clientCertificate?: Uint8Array | undefined;
  /** IP address that they come from, to bound what strangers can have looked at. It proves nothing. */
  readonly peer?: string | undefined;
}

/**
 * Tells who presents these credentials. `undefined` means "not mine", and the next authenticator is asked; a rejection
 * with an Unauthorized ApiError means "mine, and bad", which ends in 401 even where anonymous requests are allowed.
 */
export interface Authenticator {
  authenticate(credentials: Credentials): Promise<UserInfo | undefined>;
}

/** What is being asked for, in the words of `authorization.k8s.io`. */
export type RequestAttributes = ResourceAttributes | NonResourceAttributes;

export interface ResourceAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Plural, without the subresource. */
  readonly resource: string;
  readonly subresource: string;
  /** '' for all or for cluster-scoped resources. */
  readonly namespace: string;
  /** '' where the request names no object. A list or watch with the field selector `metadata.name=x` names x. */
  readonly name: string;
  /** Of a list, watch or deletecollection, as it was sent: nodes may only list the pods that are bound to them. */
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
