import { quotaList } from '@fairway/api/domain/cloud-profile';
import { type CloudProfile, cloudProfiles } from '@fairway/api/kinds/cloud-profile';
import {
  QUOTAS_REQUEST_KIND,
  QUOTAS_SUBRESOURCE,
  type QuotasRequest,
  quotasRequestSchema,
} from '@fairway/api/kinds/quotas-request';
import { formatTime } from '@fairway/base/clock';
import type { CloudOffer } from '@fairway/tenancy/cloud/cloud-offer';
import type { Clouds } from '@fairway/tenancy/cloud/project-cloud';
import type { ParentRequest } from '../requests/parent-request.ts';

export interface QuotasRequestOptions {
  readonly clouds: Clouds;
  readonly offer: Pick<CloudOffer, 'quotasOf'>;
  /** Resolves when `clouds` reflects the current stored state. */
  readonly waitForCache?: ((namespace: string, credentialName: string | undefined) => Promise<void>) | undefined;
}

/**
 * The quotas of a CloudProfile's project. The request changes nothing, so a dry run returns them too. The cloud is
 * queried once a minute, regardless of the number of callers.
 */
export function quotasRequest({
  clouds,
  offer,
  waitForCache,
}: QuotasRequestOptions): ParentRequest<CloudProfile, QuotasRequest> {
  return {
    of: cloudProfiles,
    subresource: QUOTAS_SUBRESOURCE,
    kind: QUOTAS_REQUEST_KIND,
    schema: quotasRequestSchema(),
    async respond({ parent: { metadata, spec } }) {
      const { namespace = '' } = metadata;
      await waitForCache?.(namespace, spec.credentialName);
      const cloud = clouds.forNamespace(namespace, spec.credentialName);
      // If the namespace no longer has this cloud, its profile is about to be deleted.
      if (cloud === undefined || cloud.name !== spec.cloud) return {};
      const { quotas, atMs } = await offer.quotasOf(cloud);
      return quotas === undefined ? {} : { time: formatTime(atMs), quotas: quotaList(quotas) };
    },
  };
}
