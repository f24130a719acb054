import { KUBELET_SETTINGS } from '../kinds/kubelet-settings.ts';
import type { PlanSpec } from '../kinds/plan.ts';
import type { LimitName } from '../kinds/plan-limits.ts';
import { type Choice, choiceOf, choiceSentences, inClustersOf, type LimitDefinition } from './definition.ts';
import { code, listOf, type RichText, text } from './rich-text.ts';

/** Limits of nodes and NodePools. */
export const NODE_LIMITS: readonly LimitDefinition[] = [
  namesLimit('allowed.flavors', ({ allowed }) => allowed?.flavors, text`Nodes can have the flavors`),
  namesLimit('allowed.images', ({ allowed }) => allowed?.images, text`Nodes can boot from the images`),
  choiceLimit('allowed.upgradeStrategies', ['InPlace', 'Rolling'], ({ allowed }) => allowed?.upgradeStrategies, {
    one: text`upgrade strategy`,
    many: text`upgrade strategies`,
  }),
  {
    limit: 'maxDrainTimeout',
    heading: 'Node pools',
    state({ maxDrainTimeout }) {
      if (maxDrainTimeout === undefined) return undefined;
      return {
        supported: [`at most ${maxDrainTimeout}`],
        sentences: [text`PodDisruptionBudgets can delay the drain of a node by at most ${maxDrainTimeout}.`],
      };
    },
  },
  choiceLimit('allowed.healingStrategies', ['Reinstall', 'Replace'], ({ allowed }) => allowed?.healingStrategies, {
    one: text`healing strategy`,
    many: text`healing strategies`,
  }),
  choiceLimit('allowed.antiAffinityPolicies', ['Hard', 'Soft'], ({ allowed }) => allowed?.antiAffinityPolicies, {
    one: text`anti-affinity policy of node pools`,
    many: text`anti-affinity policies of node pools`,
  }),
  choiceLimit('allowed.kubeletSettings', KUBELET_SETTINGS, ({ allowed }) => allowed?.kubeletSettings, {
    one: text`kubelet setting`,
    many: text`kubelet settings`,
  }),
  {
    limit: 'allowed.unsafeSysctls',
    heading: 'Node pools',
    state({ allowed }) {
      const sysctls = allowed?.unsafeSysctls ?? [];
      if (sysctls.length === 0) {
        return { supported: [], sentences: [text`Pods cannot use unsafe sysctls.`] };
      }
      return {
        supported: sysctls,
        sentences: [text`The only unsafe sysctls that pods can use are ${listOf(sysctls.map(code))}.`],
      };
    },
  },
  {
    limit: 'nodePools.allowInCluster',
    heading: 'Node pools',
    state({ nodePools }) {
      if (nodePools?.allowInCluster !== false) return undefined;
      return {
        unsupported: ['NodePools within the cluster'],
        sentences: [text`NodePools are not available within the cluster itself, only in the API of the service.`],
      };
    },
  },
  maximumLimit('nodePools.maxServerTags', ({ nodePools }) => nodePools?.maxServerTags, 'server tags'),
  maximumLimit('nodePools.maxServerMetadata', ({ nodePools }) => nodePools?.maxServerMetadata, 'server metadata items'),
  maximumLimit(
    'nodePools.maxSecurityGroups',
    ({ nodePools }) => nodePools?.maxSecurityGroups,
    'additional security groups',
  ),
  maximumLimit('nodePools.maxNetworks', ({ nodePools }) => nodePools?.maxNetworks, 'additional networks'),
];

function namesLimit(
  limit: LimitName,
  namesOf: (plan: PlanSpec) => readonly string[] | undefined,
  start: RichText,
): LimitDefinition {
  return {
    limit,
    heading: 'Node pools',
    state(plan) {
      const names = namesOf(plan);
      return names && { supported: names, sentences: [text`${start} ${listOf(names.map(code))}.`] };
    },
  };
}

function choiceLimit(
  limit: LimitName,
  all: readonly string[],
  allowedOf: (plan: PlanSpec) => readonly string[] | undefined,
  noun: { readonly one: RichText; readonly many: RichText },
): LimitDefinition {
  return {
    limit,
    heading: 'Node pools',
    state(plan, context) {
      const choice: Choice | undefined = choiceOf(all, allowedOf(plan), context);
      return choice && { ...choice, sentences: choiceSentences(choice, { ...noun, where: inClustersOf(context) }) };
    },
  };
}

function maximumLimit(
  limit: LimitName,
  maximumOf: (plan: PlanSpec) => number | undefined,
  what: string,
): LimitDefinition {
  return {
    limit,
    heading: 'Node pools',
    state(plan) {
      const maximum = maximumOf(plan);
      if (maximum === undefined) return undefined;
      if (maximum === 0) return { unsupported: [what], sentences: [text`Node pools cannot have ${what}.`] };
      return {
        supported: [`at most ${maximum}`],
        sentences: [text`Node pools can have at most ${String(maximum)} ${what}.`],
      };
    },
  };
}
