import { IP_FAMILIES } from '../kinds/plan-limits.ts';
import { SERVICE_TYPES } from '../kinds/plan-services.ts';
import { excludedFamilies, familiesText } from './catalogue-clusters.ts';
import { choiceOf, choiceSentences, inClustersOf, type LimitDefinition } from './definition.ts';
import { code, link, listOf, type RichText, text } from './rich-text.ts';

const ANNOTATIONS_URL =
  'https://github.com/kubernetes/cloud-provider-openstack/blob/master/docs/openstack-cloud-controller-manager/expose-applications-using-loadbalancer-type-service.md';
const SERVICES_URL = 'https://kubernetes.io/docs/concepts/services-networking/service/';

/** The limit that belongs to the IP version of clusters. */
export const SERVICE_FAMILY_LIMIT: LimitDefinition = {
  limit: 'services.ipFamilies',
  heading: 'IP version',
  state({ services }, context) {
    const choice = choiceOf(IP_FAMILIES, services?.ipFamilies, context);
    if (choice === undefined) return undefined;
    return {
      ...choice,
      sentences: [text`Kubernetes Services can use ${familiesText(choice)}.`, excludedFamilies(choice, 'Services')],
    };
  },
};

/** Limits of the Services in clusters. */
export const SERVICE_LIMITS: readonly LimitDefinition[] = [
  {
    limit: 'services.types',
    heading: 'Service types',
    state({ services }, context) {
      const choice = choiceOf(SERVICE_TYPES, services?.types, context);
      const type = link('Service', SERVICES_URL);
      const noun = { one: text`type of ${type}`, many: text`types of ${type}`, where: inClustersOf(context) };
      return choice && { ...choice, sentences: choiceSentences(choice, noun) };
    },
  },
  {
    limit: 'services.refusedAnnotations',
    heading: 'Service annotations',
    state({ services }, context) {
      const refused = services?.refusedAnnotations?.filter(({ key }) => !context.isEnded(key)) ?? [];
      if (refused.length === 0) return undefined;
      const annotations = link('annotations', ANNOTATIONS_URL);
      const type = link(text`${code('LoadBalancer')}`, `${SERVICES_URL}#loadbalancer`);
      return {
        unsupported: refused.map(({ key, values }) => (values === undefined ? key : `${key}: ${values.join(', ')}`)),
        sentences: refused.map(
          (annotation) =>
            text`${inClustersOf(context)}, we do not support ${annotationText(annotation)} ${annotations} for Kubernetes ${link('services', SERVICES_URL)} of the ${type} type.`,
        ),
      };
    },
  },
  {
    limit: 'services.loadBalancerProviders',
    heading: 'Load balancers',
    state({ services }, context) {
      const providers = services?.loadBalancerProviders;
      if (providers === undefined) return undefined;
      const names = listOf(providers.map(code));
      const start = inClustersOf(context);
      return {
        supported: providers,
        sentences: [
          providers.length === 1
            ? text`${start}, the only supported Octavia provider is ${names}.`
            : text`${start}, the supported Octavia providers are ${names}.`,
        ],
      };
    },
  },
];

/** A family such as `loadbalancer.openstack.org`, a single key, or a key with values. */
function annotationText({ key, values }: { readonly key: string; readonly values?: readonly string[] | undefined }) {
  const name: RichText = [code(key.endsWith('/*') ? key.slice(0, -2) : key)];
  return values === undefined ? name : text`${name} (with the values ${listOf(values.map(code), 'or')})`;
}
