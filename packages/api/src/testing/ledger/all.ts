import { AUTOSCALER_CONFIG_REQUEST_FIELDS } from './autoscaler-config-request.ts';
import { CLOUD_CREDENTIAL_FIELDS } from './cloud-credential.ts';
import { CLOUD_PROFILE_FIELDS } from './cloud-profile.ts';
import { CLOUD_RESOURCES_REQUEST_FIELDS } from './cloud-resources-request.ts';
import { CLUSTER_FIELDS } from './cluster.ts';
import type { FieldLedger } from './entry.ts';
import { KUBECONFIG_REQUEST_FIELDS } from './kubeconfig-request.ts';
import { KUBERNETES_RELEASE_FIELDS } from './kubernetes-release.ts';
import { MACHINE_FIELDS } from './machine.ts';
import { NODE_POOL_FIELDS } from './node-pool.ts';
import { PLAN_FIELDS } from './plan.ts';
import { PROJECT_QUOTA_FIELDS } from './project-quota.ts';
import { QUOTAS_REQUEST_FIELDS } from './quotas-request.ts';
import { UPGRADE_PLAN_REQUEST_FIELDS } from './upgrade-plan-request.ts';
import { USAGE_RECORD_FIELDS } from './usage-record.ts';

/**
 * The ledger of all spec fields, by kind. A field missing from it makes `ledger.test.ts` fail; `npm run ledger` proves
 * each line.
 */
export const LEDGER: Readonly<Record<string, FieldLedger>> = {
  Cluster: CLUSTER_FIELDS,
  NodePool: NODE_POOL_FIELDS,
  Machine: MACHINE_FIELDS,
  CloudCredential: CLOUD_CREDENTIAL_FIELDS,
  CloudProfile: CLOUD_PROFILE_FIELDS,
  Plan: PLAN_FIELDS,
  KubernetesRelease: KUBERNETES_RELEASE_FIELDS,
  UsageRecord: USAGE_RECORD_FIELDS,
  ProjectQuota: PROJECT_QUOTA_FIELDS,
  AutoscalerConfigRequest: AUTOSCALER_CONFIG_REQUEST_FIELDS,
  CloudResourcesRequest: CLOUD_RESOURCES_REQUEST_FIELDS,
  QuotasRequest: QUOTAS_REQUEST_FIELDS,
  KubeconfigRequest: KUBECONFIG_REQUEST_FIELDS,
  UpgradePlanRequest: UPGRADE_PLAN_REQUEST_FIELDS,
};
