import { badRequest } from '../object/api-error.ts';
import type { KubeObject } from '../object/meta.ts';
import { fieldNamesOf, getAt, setAt } from '../object/path.ts';
import type { ScaleDefinition } from './resource.ts';
import type { ServedResource } from './served-resource.ts';

export const SCALE_KIND = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const;

export interface Scale extends KubeObject {
  spec?: { replicas?: number };
  status?: { replicas: number; selector?: string };
}

/** The object seen as an `autoscaling/v1` Scale. */
export function scaleOf(object: KubeObject, definition: ScaleDefinition): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = numberAt(object, definition.specReplicasPath);
  const selector = definition.labelSelectorPath && getAt(object, fieldNamesOf(definition.labelSelectorPath));
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
      ...(typeof selector === 'string' && { selector }),
    },
  };
}

/** The object with the replicas that a Scale asks for; the object is the caller's own. */
export function scaled(resource: ServedResource, object: KubeObject, scale: Scale): KubeObject {
  const { scale: definition } = resource.definition;
  const replicas = scale.spec?.replicas ?? 0;
  if (!Number.isSafeInteger(replicas) || replicas < 0) {
    throw badRequest(`spec.replicas: Invalid value: ${JSON.stringify(replicas)}: should be a non-negative integer`);
  }
  if (definition !== undefined) setAt(object, fieldNamesOf(definition.specReplicasPath), replicas);
  const { uid, resourceVersion } = scale.metadata;
  if (uid !== undefined) object.metadata.uid = uid;
  if (resourceVersion === undefined || resourceVersion === '') delete object.metadata.resourceVersion;
  else object.metadata.resourceVersion = resourceVersion;
  return object;
}

function numberAt(object: KubeObject, path: string): number | undefined {
  const value = getAt(object, fieldNamesOf(path));
  return typeof value === 'number' ? value : undefined;
}
