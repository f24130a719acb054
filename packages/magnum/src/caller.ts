import type { UserInfo } from '@fairway/apiserver/auth/user';

/** The user who sent a request, and the namespace of their project. */
export interface Caller {
  /** The user at Fairway's API. */
  readonly user: UserInfo;
  /** The user's ID in Keystone. */
  readonly userId: string;
  readonly project: { readonly id: string; readonly name: string };
  /** Namespace of the project. */
  readonly namespace: string;
  readonly roles: readonly string[];
}
