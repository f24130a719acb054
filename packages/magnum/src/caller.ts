import type { UserInfo } from '@fairway/apiserver/auth/user';

/** Who sends a request, and where what belongs to its project is. */
export interface Caller {
  /** At Fairway's API. */
  readonly user: UserInfo;
  /** Keystone's id of the user. */
  readonly userId: string;
  readonly project: { readonly id: string; readonly name: string };
  /** Namespace of the project. */
  readonly namespace: string;
  readonly roles: readonly string[];
}
