import { type FieldError, invalid } from '@fairway/kube/object/field-error';
import { isJsonObject } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import { fieldNamesOf, getAt, setAt } from '@fairway/kube/object/path';
import { compileLabelSelector, formatLabelMatcher } from '@fairway/kube/object/selector';
import type { ScaleDefinition } from './resource.ts';
import type { ServedResource } from './served-resource.ts';

export const SCALE_KIND = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const;

export interface Scale extends KubeObject {
  spec?: { replicas?: number };
  status?: { replicas: number; selector?: string };
}

/** The object as an `autoscaling/v1` Scale. */
export function scaleOf(object: KubeObject, definition: ScaleDefinition): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = numberAt(object, definition.specReplicasPath);
  const selector = selectorAt(object, definition.labelSelectorPath);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: replicas === undefined ? {} : { replicas },
    status: {
      replicas: numberAt(object, definition.statusReplicasPath) ?? 0,
      ...(selector !== undefined && { selector }),
    },
  };
}

/** Sets the replicas of a Scale in the object, which is changed in place. */
export function scaled(resource: ServedResource, object: KubeObject, scale: Scale): KubeObject {
  const { scale: definition } = resource.definition;
  const replicas = scale.spec?.replicas ?? 0;
  if (!Number.isSafeInteger(replicas) || replicas < 0) {
    const detail = 'must be greater than or equal to 0';
    const error: FieldError = { type: 'FieldValueInvalid', field: 'spec.replicas', value: replicas, detail };
    throw invalid(SCALE_KIND, object.metadata.name ?? '', [error]);
  }
  if (definition !== undefined) setAt(object, fieldNamesOf(definition.specReplicasPath), replicas);
  const { uid, resourceVersion } = scale.metadata;
  if (uid !== undefined) object.metadata.uid = uid;
  if (resourceVersion === undefined || resourceVersion === '') delete object.metadata.resourceVersion;
  else object.metadata.resourceVersion = resourceVersion;
  return object;
}

/** A selector as text (custom resources), or as an object or labels (built-in kinds). */
function selectorAt(object: KubeObject, path: string | undefined): string | undefined {
  const value = path === undefined ? undefined : getAt(object, fieldNamesOf(path));
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return undefined;
  const isSelector = 'matchLabels' in value || 'matchExpressions' in value;
  const selector = isSelector ? value : { matchLabels: value };
  return formatLabelMatcher(compileLabelSelector(selector));
}

function numberAt(object: KubeObject, path: string): number | undefined {
  const value = getAt(object, fieldNamesOf(path));
  return typeof value === 'number' ? value : undefined;
}
