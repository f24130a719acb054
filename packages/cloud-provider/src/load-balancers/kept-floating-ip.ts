import { ANNOTATION } from './annotation-names.ts';
import type { LivingScope } from './service-scope.ts';

/** Octavia's and Neutron's limit of a description. */
const MAX_DESCRIPTION = 255;

/** What the floating IP of a Service that keeps it is called from then on. */
export function keptOf({ cluster, service }: LivingScope): { readonly as: string } | undefined {
  const { annotations, namespace, name } = service.metadata;
  if (annotations?.[ANNOTATION.keepFloatingIP] !== 'true') return undefined;
  const words = `Floating IP kept of Kubernetes external service ${namespace}/${name} from cluster ${cluster.metadata.name}`;
  return { as: words.slice(0, MAX_DESCRIPTION) };
}
