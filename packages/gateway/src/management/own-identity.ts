import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';
import { z } from 'zod';

/** The user that Fairway's controllers act as in a management cluster. */
export interface OwnIdentity {
  /** Users whose changes count as Fairway's own. */
  readonly usernames: readonly string[];
  /**
   * Whether the API server has reported Fairway's identity. Servers before 1.28 cannot, so any administrator may be
   * Fairway.
   */
  readonly isCertain: boolean;
}

/** The user of `fairway install`. */
const INSTALLED_USER = `system:serviceaccount:${SYSTEM_NAMESPACE}:fairway`;

const SelfReview = z.object({ status: z.object({ userInfo: z.object({ username: z.string().min(1) }) }) });

/**
 * Determines Fairway's own user with a SelfSubjectReview, supported by kube-apiserver since 1.28 (older versions
 * return Forbidden). Rejects with the API server's error.
 */
export async function ownIdentity(client: KubeClient): Promise<OwnIdentity> {
  const apiVersion = 'authentication.k8s.io/v1';
  try {
    const rawResponse = await client.raw({
      method: 'POST',
      path: `/apis/${apiVersion}/selfsubjectreviews`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion, kind: 'SelfSubjectReview', metadata: {} }),
    });
    const { username } = SelfReview.parse(JSON.parse(await rawResponse.text())).status.userInfo;
    return { usernames: [...new Set([username, INSTALLED_USER])], isCertain: true };
  } catch (error) {
    if (!isApiError(error, 'NotFound', 'Forbidden')) throw error;
    return { usernames: [INSTALLED_USER], isCertain: false };
  }
}

/** If Fairway's identity is uncertain, administrators have the same permissions. */
export function isOwn({ usernames, isCertain }: OwnIdentity, user: UserInfo): boolean {
  return usernames.includes(user.username) || (!isCertain && user.groups.includes('system:masters'));
}
