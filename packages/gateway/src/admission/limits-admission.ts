import { nodePoolLimitErrors } from '@fairway/api/admission/admit-node-pool';
import { clusterLimitErrors } from '@fairway/api/admission/cluster-limits';
import { clusterQuotaErrors, poolQuotaErrors } from '@fairway/api/admission/project-quota';
import { effectiveQuota, type QuotaDefaults } from '@fairway/api/domain/project-quota';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { projectQuotas } from '@fairway/api/kinds/project-quota';
import type { AdmissionPlugin } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { invalid } from '@fairway/kube/object/field-error';
import { needsValidation } from './needs-validation.ts';

/**
 * Repeats validation of limits across objects within the serialized write, if the API server is in this process:
 * concurrent creates of five pools are validated one at a time. In front of a management cluster, a webhook
 * validates each create against the stored objects, and the controllers enforce the limit.
 */
export function limitsAdmission(reader: () => ObjectReader, quotaDefaults?: QuotaDefaults): AdmissionPlugin {
  return {
    name: 'FairwayLimits',
    decide(request) {
      if (!needsValidation(request)) return;
      const { resource, namespace, object, oldObject } = request;
      const name = object?.metadata.name;
      const quota = effectiveQuota(reader().list(projectQuotas, namespace), quotaDefaults);
      const isOtherObject = ({ metadata }: Cluster | NodePool) => metadata.name !== name;
      if (resource.plural === nodePools.plural) {
        const facts = {
          pool: object as NodePool,
          old: oldObject as NodePool | undefined,
          clusters: reader().list(clusters, namespace),
          others: reader().list(nodePools, namespace).filter(isOtherObject),
          plans: reader().list(plans),
        };
        const limitError = poolQuotaErrors({ ...facts, quota, flavors: undefined });
        refuse(nodePools, name, [...nodePoolLimitErrors(facts), ...limitError]);
      } else if (resource.plural === clusters.plural) {
        const facts = {
          cluster: object as Cluster,
          old: oldObject as Cluster | undefined,
          others: reader().list(clusters, namespace).filter(isOtherObject),
          pools: reader().list(nodePools, namespace),
          plans: reader().list(plans),
        };
        refuse(clusters, name, [...clusterLimitErrors(facts), ...clusterQuotaErrors({ ...facts, quota })]);
      }
    },
  };
}

function refuse(
  kind: { readonly group: string; readonly kind: string },
  name: string | undefined,
  errors: ReturnType<typeof clusterLimitErrors>,
): void {
  if (errors.length > 0) throw invalid(kind, name ?? '', errors);
}
