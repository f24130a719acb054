import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import { cloudProfiles } from '../api/resources.ts';
import { useResource } from '../api/use-resources.ts';

/** What the cloud offers to clusters that name this credential, or none; undefined while it is not known. */
export function useProfile(namespace: string, credentialName: string | undefined): CloudProfileStatus | undefined {
  const name = credentialName === undefined || credentialName === '' ? 'default' : `credential-${credentialName}`;
  return useResource(cloudProfiles, namespace, name).object?.status;
}
