import { ApiError, type ApiResponse } from '../http/api.ts';
import type { World } from '../world.ts';
import { UNAUTHENTICATED, unauthorized } from './problem.ts';
import { DEFAULT_DOMAIN, type User } from './records.ts';
import { formatKeystoneTime } from './time.ts';
import { isSigned, sign } from './token.ts';

const LIFETIME_MS = 5 * 60_000;

/** Thrown if a user is authenticated, but their rules require more methods. */
export class InsufficientMethodsError extends ApiError {
  readonly user: User;
  readonly methods: readonly string[];

  constructor(user: User, methods: readonly string[]) {
    super(401, UNAUTHENTICATED);
    this.user = user;
    this.methods = methods;
  }
}

/**
 * Requires that the methods satisfy at least one of the user's rules. A user without rules, or with disabled rules, is
 * not restricted.
 */
export function requireMethods(user: User, methods: readonly string[]): void {
  const { multi_factor_auth_rules: rules = [], multi_factor_auth_enabled: isEnabled = true } = user.options ?? {};
  if (rules.length === 0 || !isEnabled) return;
  if (!rules.some((rule) => rule.every((method) => methods.includes(method)))) {
    throw new InsufficientMethodsError(user, methods);
  }
}

interface ReceiptClaims {
  readonly userId: string;
  readonly methods: readonly string[];
  readonly expiresMs: number;
}

/**
 * Keystone's response if more methods are required. It contains a receipt; a request with this receipt needs only the
 * missing methods.
 */
export function receiptFor(world: World, { user, methods }: InsufficientMethodsError): ApiResponse {
  const now = world.clock.now();
  const claims: ReceiptClaims = { userId: user.id, methods, expiresMs: now + LIFETIME_MS };
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return {
    status: 401,
    headers: { 'Openstack-Auth-Receipt': `${payload}.${sign(world, `receipt ${payload}`)}` },
    body: {
      receipt: {
        methods,
        user: { id: user.id, name: user.name, domain: DEFAULT_DOMAIN },
        expires_at: formatKeystoneTime(claims.expiresMs),
        issued_at: formatKeystoneTime(now),
      },
      required_auth_methods: user.options?.multi_factor_auth_rules ?? [],
    },
  };
}

/**
 * The methods that a receipt proves. Throws Keystone's error for a receipt that is expired or belongs to another user.
 */
export function methodsOfReceipt(world: World, receipt: string, userId: string): readonly string[] {
  const [payload = '', signature = ''] = receipt.split('.');
  const isOwn = isSigned(world, `receipt ${payload}`, signature);
  const claims = isOwn ? (JSON.parse(Buffer.from(payload, 'base64url').toString()) as ReceiptClaims) : undefined;
  if (claims === undefined || claims.userId !== userId || claims.expiresMs <= world.clock.now()) {
    throw unauthorized();
  }
  return claims.methods;
}
