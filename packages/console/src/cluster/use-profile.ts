import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import type { QuotasStatus } from '@fairway/api/kinds/quotas-request';
import { cloudProfiles, pathOf } from '../api/resources.ts';
import { usePolledResponse } from '../api/use-polled-response.ts';
import { useResource } from '../api/use-resources.ts';
import { withQuotas } from './fresh-quotas.ts';

/** The minimum interval between requests to the cloud, however many forms are open. */
const POLL_INTERVAL_MS = 60_000;

/**
 * The cloud's offer to clusters, with or without this credential; undefined while it is unknown. For forms: requests
 * the quotas while a form is open.
 */
export function useProfile(namespace: string, credentialName: string | undefined): CloudProfileStatus | undefined {
  const name = credentialName === undefined || credentialName === '' ? 'default' : `credential-${credentialName}`;
  const { object } = useResource(cloudProfiles, namespace, name);
  const path = object === undefined ? undefined : pathOf(cloudProfiles, namespace, name, 'quotas');
  const { known } = usePolledResponse<QuotasStatus>({ path, kind: 'QuotasRequest', intervalMs: POLL_INTERVAL_MS });
  const profile = object?.status;
  return profile && withQuotas(profile, known);
}
