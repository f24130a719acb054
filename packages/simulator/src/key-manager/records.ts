export const SECRET_TYPES = ['symmetric', 'passphrase', 'private', 'public', 'certificate', 'opaque'] as const;
export type SecretType = (typeof SECRET_TYPES)[number];

export const PAYLOAD_TYPES = ['text/plain', 'application/octet-stream', 'application/pkcs8'] as const;
export type PayloadType = (typeof PAYLOAD_TYPES)[number];

export interface Payload {
  readonly contentType: PayloadType;
  readonly base64: string;
}

/** Who may read a secret or container, in addition to users whose roles permit it. */
export interface Acl {
  /** Whether the project's users may read the resource; otherwise only its creator and `users` may. */
  readonly projectAccess: boolean;
  readonly users: readonly string[];
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** The common fields of secrets and containers. */
export interface ProtectedObject {
  readonly id: string;
  readonly projectId: string;
  readonly creatorId: string;
  readonly name: string | null;
  readonly createdMs: number;
  readonly updatedMs: number;
  /** If null, the default for the project applies. */
  readonly acl: Acl | null;
}

export interface SecretConsumer {
  readonly projectId: string;
  readonly service: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly createdMs: number;
}

export interface KeySecret extends ProtectedObject {
  readonly secretType: SecretType;
  /** After this time the secret is treated as deleted. */
  readonly expirationMs: number | null;
  readonly algorithm: string | null;
  readonly bitLength: number | null;
  readonly mode: string | null;
  /** Null until the payload is stored. */
  readonly payload: Payload | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly consumers: readonly SecretConsumer[];
}

export interface ContainerConsumer {
  readonly projectId: string;
  readonly name: string;
  readonly URL: string;
  readonly createdMs: number;
}

export const CONTAINER_TYPES = ['generic', 'rsa', 'certificate'] as const;

export interface KeyContainer extends ProtectedObject {
  readonly type: (typeof CONTAINER_TYPES)[number];
  readonly secrets: readonly { readonly name: string | null; readonly secretId: string }[];
  readonly consumers: readonly ContainerConsumer[];
}

export const ORDER_TYPES = ['key', 'asymmetric', 'certificate'] as const;

/** A request to generate keys. */
export interface KeyOrder {
  readonly id: string;
  readonly projectId: string;
  readonly creatorId: string;
  readonly type: (typeof ORDER_TYPES)[number];
  readonly meta: Readonly<Record<string, unknown>>;
  readonly createdMs: number;
  readonly outcome:
    | { readonly kind: 'secret' | 'container'; readonly id: string }
    | { readonly kind: 'error'; readonly status: number; readonly reason: string }
    /** A certificate order, which no certificate authority ever fulfils. */
    | { readonly kind: 'waiting' };
}
