import type { Schema } from '@fairway/apiserver/schema/schema';
import { objectSchema } from '../crd/object-schema.ts';
import { KINDS } from '../kinds/all.ts';
import { AUTOSCALER_CONFIG_REQUEST_KIND, autoscalerConfigRequestSchema } from '../kinds/autoscaler-config-request.ts';
import { CLOUD_RESOURCES_REQUEST_KIND, cloudResourcesRequestSchema } from '../kinds/cloud-resources-request.ts';
import { KUBECONFIG_REQUEST_KIND, kubeconfigRequestSchema } from '../kinds/kubeconfig-request.ts';
import { QUOTAS_REQUEST_KIND, quotasRequestSchema } from '../kinds/quotas-request.ts';
import { UPGRADE_PLAN_REQUEST_KIND, upgradePlanRequestSchema } from '../kinds/upgrade-plan-request.ts';

/** The `spec` schema of each kind that users or operators write, by kind. */
export function ledgerSchemas(): ReadonlyMap<string, Schema> {
  const schemas = new Map(KINDS.map((kind) => [kind.kind, specOf(objectSchema(kind))]));
  schemas.set(AUTOSCALER_CONFIG_REQUEST_KIND.kind, specOf(autoscalerConfigRequestSchema()));
  schemas.set(CLOUD_RESOURCES_REQUEST_KIND.kind, specOf(cloudResourcesRequestSchema()));
  schemas.set(QUOTAS_REQUEST_KIND.kind, specOf(quotasRequestSchema()));
  schemas.set(UPGRADE_PLAN_REQUEST_KIND.kind, specOf(upgradePlanRequestSchema()));
  return schemas.set(KUBECONFIG_REQUEST_KIND.kind, specOf(kubeconfigRequestSchema()));
}

/**
 * Paths of all fields of a spec that contain a value, a list of values or a map, such as
 * `spec.template.spec.taints[].key`.
 */
export function specFields(kind: string): string[] {
  const schema = ledgerSchemas().get(kind);
  if (schema === undefined) throw new Error(`there is no kind ${kind}`);
  return [...leaves(schema, 'spec')];
}

function* leaves(schema: Schema, path: string): Generator<string> {
  if (schema.properties) {
    for (const [name, property] of Object.entries(schema.properties)) yield* leaves(property, `${path}.${name}`);
  } else if (schema.items?.properties) {
    yield* leaves(schema.items, `${path}[]`);
  } else {
    yield path;
  }
}

function specOf({ properties = {} }: Schema): Schema {
  if (properties['spec'] === undefined) throw new Error('a kind without a spec');
  return properties['spec'];
}
