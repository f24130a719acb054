import { ANNOTATION } from './annotation-names.ts';
import type { PresentServiceScope } from './service-scope.ts';

/** Maximum length of a description in Octavia and Neutron. */
const MAX_DESCRIPTION_LENGTH = 255;

/** Description of a floating IP that outlives its Service. */
export function keptFloatingIPName({ cluster, service }: PresentServiceScope): { readonly as: string } | undefined {
  const { annotations, namespace, name } = service.metadata;
  const description = `Floating IP kept of Kubernetes external service ${namespace}/${name} from cluster ${cluster.metadata.name}`;
  return keptFloatingIPNameFrom(description, annotations?.[ANNOTATION.keepFloatingIP]);
}

/**
 * `values` are the values of the annotations. An invalid value keeps the floating IP, because a released address is
 * lost.
 */
export function keptFloatingIPNameFrom(
  description: string,
  ...values: readonly (string | undefined)[]
): { readonly as: string } | undefined {
  const isKept = values.some((value) => value !== undefined && value !== '' && value !== 'false');
  return isKept ? { as: description.slice(0, MAX_DESCRIPTION_LENGTH) } : undefined;
}
