import type { SelfSubjectAccessReview } from '@fairway/kube/kinds/generated/types';
import { useEffect, useState } from 'react';
import { request } from '../api/request.ts';
import { type Session, useSession } from '../session/session.ts';

const PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const listAccessBySession = new WeakMap<Session, Promise<boolean>>();

/**
 * Whether the user may list the clusters of all projects; false if the review itself is forbidden. The pages check
 * their own permissions.
 */
export function useIsOperator(): boolean {
  const session = useSession();
  const [listAccess, setListAccess] = useState<{ readonly session: Session; readonly isAllowed: boolean }>();
  useEffect(() => {
    let isNeeded = true;
    const isListAllowed = listAccessBySession.get(session) ?? mayListAllClusters();
    listAccessBySession.set(session, isListAllowed);
    void isListAllowed.then(
      (isAllowed) => isNeeded && setListAccess({ session, isAllowed }),
      () => listAccessBySession.delete(session),
    );
    return () => {
      isNeeded = false;
    };
  }, [session]);
  return listAccess?.session === session && listAccess.isAllowed;
}

async function mayListAllClusters(): Promise<boolean> {
  const spec = { resourceAttributes: { verb: 'list', group: 'fairway.dev', resource: 'clusters' } };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
  const { status } = await request<SelfSubjectAccessReview>(PATH, { method: 'POST', body });
  return status?.allowed === true;
}
