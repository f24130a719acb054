import { IP_FAMILIES } from '../kinds/plan-limits.ts';
import {
  type Choice,
  choiceOf,
  choiceSentences,
  inClustersOf,
  type LimitDefinition,
  type StatementContext,
} from './definition.ts';
import { FEATURES, isFeatureAllowed } from './features.ts';
import { code, listOf, type RichText, text } from './rich-text.ts';

const POD_NETWORKS = ['canal', 'cilium', 'none'];
const KUBE_PROXY_MODES = ['iptables', 'ipvs', 'nftables', 'none'];

/** Limits of clusters as a whole: version and networks. */
export const CLUSTER_LIMITS: readonly LimitDefinition[] = [
  {
    limit: 'kubernetes',
    heading: 'Kubernetes version',
    state({ kubernetes: { oldest, newest } = {} }, { brand, service }) {
      if (oldest === undefined && newest === undefined) return undefined;
      const sentence = (which: string, version: string) =>
        text`The ${which} Kubernetes version you can install in ${brand} with ${service} is ${version}.`;
      return {
        supported: [
          oldest === undefined
            ? `up to ${newest}`
            : newest === undefined
              ? `${oldest} or newer`
              : `${oldest} to ${newest}`,
        ],
        sentences: [
          ...(newest === undefined ? [] : [sentence('latest', newest)]),
          ...(oldest === undefined ? [] : [sentence('oldest', oldest)]),
        ],
      };
    },
  },
  {
    limit: 'network.ipFamilies',
    heading: 'IP version',
    state({ network: { ipFamilies } }, context) {
      const choice = choiceOf(IP_FAMILIES, ipFamilies, context);
      if (choice === undefined) return undefined;
      const { brand, service } = context;
      return {
        ...choice,
        sentences: [
          text`In ${brand}, you can use ${service} to deploy Kubernetes clusters that use ${familiesText(choice)}.`,
          excludedFamilies(choice, 'clusters'),
        ],
      };
    },
  },
];

/** Limits of the networks within clusters. */
export const NETWORK_LIMITS: readonly LimitDefinition[] = [
  {
    limit: 'cni.allowed',
    heading: 'Cluster networking',
    state({ cni }, context) {
      const noun = { one: text`pod network`, many: text`pod networks` };
      return choice(choiceOf(POD_NETWORKS, cni.allowed, context), noun, context);
    },
  },
  {
    limit: 'kubeProxy.allowed',
    heading: 'Cluster networking',
    state({ kubeProxy }, context) {
      const noun = { one: text`kube-proxy mode`, many: text`kube-proxy modes` };
      return choice(choiceOf(KUBE_PROXY_MODES, kubeProxy.allowed, context), noun, context);
    },
  },
  {
    limit: 'network.customCIDRs',
    heading: 'Cluster networking',
    state({ network: { customCIDRs, podCIDR, serviceCIDR } }) {
      if (customCIDRs) return undefined;
      return {
        supported: [podCIDR, serviceCIDR],
        sentences: [text`The CIDRs are fixed: ${code(podCIDR)} for pods and ${code(serviceCIDR)} for Services.`],
      };
    },
  },
  {
    limit: 'network.gatewayRequired',
    heading: 'Cluster networking',
    state({ network: { gatewayRequired } }) {
      if (!gatewayRequired) return undefined;
      return {
        supported: ['subnets with an OpenStack router'],
        sentences: [text`The subnet of the nodes must have an OpenStack router.`],
      };
    },
  },
];

/** Limits of size, and features. */
export const OTHER_CLUSTER_LIMITS: readonly LimitDefinition[] = [
  {
    limit: 'maxNodes',
    heading: 'Cluster size',
    state: ({ maxNodes }) => atMost(maxNodes, text`A cluster can have at most ${count(maxNodes, 'node')}.`),
  },
  {
    limit: 'maxPodsPerNode',
    heading: 'Cluster size',
    state: ({ maxPodsPerNode }) =>
      atMost(maxPodsPerNode, text`A node can run at most ${count(maxPodsPerNode, 'pod')}.`),
  },
  {
    limit: 'maxClusters',
    heading: 'Cluster size',
    state({ maxClusters }, { service }) {
      if (maxClusters === undefined) return undefined;
      return atMost(maxClusters, text`A project can have at most ${count(maxClusters, 'cluster')} of ${service}.`);
    },
  },
  {
    limit: 'allowed.features',
    heading: 'Features',
    state(plan, { isEnded }) {
      const excluded = FEATURES.filter(({ name }) => !isFeatureAllowed(plan, name) && !isEnded(name));
      if (excluded.length === 0) return undefined;
      const names = excluded.map(({ name }) => name);
      return {
        supported: FEATURES.map(({ name }) => name).filter((name) => !names.includes(name)),
        unsupported: names,
        sentences: [
          text`We do not support ${listOf(
            excluded.map(({ description }) => description),
            'or',
          )}.`,
        ],
      };
    },
  },
  {
    limit: 'allowed.regions',
    heading: 'Location',
    state({ allowed }) {
      const regions = allowed?.regions;
      if (regions === undefined) return undefined;
      return {
        supported: regions,
        sentences: [text`Clusters can only be in the regions ${listOf(regions.map(code))}.`],
      };
    },
  },
  {
    limit: 'allowed.networks',
    heading: 'Cluster networking',
    state({ allowed }) {
      const networks = allowed?.networks;
      if (networks === undefined) return undefined;
      const names = listOf(networks.map(code));
      return {
        supported: networks,
        sentences: [text`Clusters can use the existing networks ${names}, or a new network of their own.`],
      };
    },
  },
  {
    limit: 'allowed.registryMirrors',
    heading: 'Registry mirrors and proxies',
    state: ({ allowed }) => unsupportedField(allowed?.registryMirrors, 'registryMirrors', text`Registry mirrors`),
  },
  {
    limit: 'allowed.proxy',
    heading: 'Registry mirrors and proxies',
    state: ({ allowed }) => unsupportedField(allowed?.proxy, 'proxy', text`HTTP proxies for nodes`),
  },
];

/** IPv4; either IPv4 or IPv6; IPv4, IPv6 or dual stack. */
export function familiesText({ supported }: Choice): RichText {
  const names = supported.map((family) => (family === 'DualStack' ? 'dual stack' : family));
  return names.length === 2 ? text`either ${listOf(names, 'or')}` : listOf(names, 'or');
}

/** The sentence about families that clusters or Services cannot have. */
export function excludedFamilies({ unsupported }: Choice, noun: 'clusters' | 'Services'): RichText {
  const isWithout = (family: string) => unsupported.includes(family);
  if (isWithout('IPv6') && isWithout('DualStack') && !isWithout('IPv4')) {
    return text`IPv6 ${noun} (whether single-stack or dual-stack) are not supported.`;
  }
  const words = unsupported.map((family) => (family === 'DualStack' ? 'Dual-stack' : family));
  return text`${listOf(words)} ${noun} are not supported.`;
}

function choice(found: Choice | undefined, noun: { one: RichText; many: RichText }, context: StatementContext) {
  return found && { ...found, sentences: choiceSentences(found, { ...noun, where: inClustersOf(context) }) };
}

function atMost(maximum: number, sentence: RichText) {
  return { supported: [`at most ${maximum}`], sentences: [sentence] };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function unsupportedField(isAllowed: boolean | undefined, field: string, what: RichText) {
  return isAllowed === false ? { unsupported: [field], sentences: [text`${what} are not supported.`] } : undefined;
}
