import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import type { QuotasStatus } from '@fairway/api/kinds/quotas-request';

/** A profile with newer quotas. If a service did not respond, its quotas and their time stay unchanged. */
export function withQuotas(profile: CloudProfileStatus, latestQuotas: QuotasStatus | undefined): CloudProfileStatus {
  const { quotas, time } = latestQuotas ?? {};
  const { quotas: before = [], quotasTime } = profile;
  if (quotas === undefined || time === undefined) return profile;
  if (quotasTime !== undefined && Date.parse(time) <= Date.parse(quotasTime)) return profile;
  const older = before.filter(({ name }) => quotas.every((quota) => quota.name !== name));
  const date = older.length === 0 ? time : quotasTime;
  const { quotasTime: _, ...rest } = profile;
  return { ...rest, quotas: [...quotas, ...older], ...(date !== undefined && { quotasTime: date }) };
}
