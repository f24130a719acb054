import { AUTOSCALER_CONFIG_SUBRESOURCE } from '@fairway/api/kinds/autoscaler-config-request';
import { cloudProfiles } from '@fairway/api/kinds/cloud-profile';
import { CLOUD_RESOURCES_REQUEST_KIND, CLOUD_RESOURCES_SUBRESOURCE } from '@fairway/api/kinds/cloud-resources-request';
import { clusters } from '@fairway/api/kinds/cluster';
import { KUBECONFIG_REQUEST_KIND, KUBECONFIG_SUBRESOURCE } from '@fairway/api/kinds/kubeconfig-request';
import { QUOTAS_REQUEST_KIND, QUOTAS_SUBRESOURCE } from '@fairway/api/kinds/quotas-request';
import { UPGRADE_PLAN_REQUEST_KIND, UPGRADE_PLAN_SUBRESOURCE } from '@fairway/api/kinds/upgrade-plan-request';
import type { ResourcePath } from '@fairway/apiserver/server/router';
import { CLUSTER_AUDIT_KIND, CLUSTER_AUDIT_SUBRESOURCE } from '../cluster-audit/cluster-audit-kind.ts';

/**
 * Subresources that the gateway serves itself in front of a management cluster, because a CustomResourceDefinition
 * can't define them.
 */
export const GATEWAY_SUBRESOURCES = [
  { of: clusters, subresource: KUBECONFIG_SUBRESOURCE, kind: KUBECONFIG_REQUEST_KIND, verb: 'create' },
  { of: clusters, subresource: UPGRADE_PLAN_SUBRESOURCE, kind: UPGRADE_PLAN_REQUEST_KIND, verb: 'create' },
  { of: clusters, subresource: CLOUD_RESOURCES_SUBRESOURCE, kind: CLOUD_RESOURCES_REQUEST_KIND, verb: 'create' },
  { of: clusters, subresource: CLUSTER_AUDIT_SUBRESOURCE, kind: CLUSTER_AUDIT_KIND, verb: 'get' },
  { of: cloudProfiles, subresource: QUOTAS_SUBRESOURCE, kind: QUOTAS_REQUEST_KIND, verb: 'create' },
] as const;

export type GatewaySubresource = (typeof GATEWAY_SUBRESOURCES)[number]['subresource'];

/** The subresource of a request; undefined if it is not one of these. */
export function gatewaySubresourceOf({ group, plural, subresource }: ResourcePath): GatewaySubresource | undefined {
  return GATEWAY_SUBRESOURCES.find(
    (each) => each.of.group === group && each.of.plural === plural && each.subresource === subresource,
  )?.subresource;
}

const CREDENTIAL_SUBRESOURCES: ReadonlySet<string> = new Set([KUBECONFIG_SUBRESOURCE, AUTOSCALER_CONFIG_SUBRESOURCE]);

/** Whether a request is for credentials of a tenant's cluster. */
export function requestsCredentials({ group, plural, subresource }: ResourcePath): boolean {
  return group === clusters.group && plural === clusters.plural && CREDENTIAL_SUBRESOURCES.has(subresource);
}

const READ_ONLY_SUBRESOURCES: ReadonlySet<string> = new Set([
  `${clusters.plural}/${UPGRADE_PLAN_SUBRESOURCE}`,
  `${clusters.plural}/${CLOUD_RESOURCES_SUBRESOURCE}`,
  `${cloudProfiles.plural}/${QUOTAS_SUBRESOURCE}`,
]);

/** Whether a request only reads the current or planned state; console pages repeat such requests. */
export function isRead({ group, plural, subresource }: ResourcePath): boolean {
  return group === clusters.group && READ_ONLY_SUBRESOURCES.has(`${plural}/${subresource}`);
}
