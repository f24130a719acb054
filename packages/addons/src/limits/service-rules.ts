import { IP_FAMILIES } from '@fairway/api/kinds/plan-limits';
import type { PlanServices, RefusedAnnotation } from '@fairway/api/kinds/plan-services';
import { SERVICE_TYPES } from '@fairway/api/kinds/plan-services';
import type { InClusterLimits } from '@fairway/api/limits/in-cluster';
import {
  annotationExcess,
  familyExcess,
  LOAD_BALANCER_ID_ANNOTATION,
  OWN_ID_ANNOTATION,
  PROVIDER_ANNOTATION,
  providerExcess,
  RECORDED_ANNOTATIONS,
  typeExcess,
} from '@fairway/api/limits/service-limits';
import { ADDON_NAMESPACE } from '../addon.ts';
import { PART_OF_LABEL } from '../apply-set.ts';
import {
  celList,
  celMatches,
  celString,
  type LimitRule,
  newlyBeyond,
  OBJECT,
  OLD_OBJECT,
  type RuleTarget,
} from './limit-rule.ts';

const SERVICES: RuleTarget = { group: '', version: 'v1', plural: 'services', operations: ['CREATE', 'UPDATE'] };

/** Services without which a cluster does not work. */
const IS_EXEMPT = [
  "object.metadata.namespace == 'default' && object.metadata.name == 'kubernetes'",
  `object.metadata.namespace == ${celString(ADDON_NAMESPACE)} && has(object.metadata.labels) && ${celString(PART_OF_LABEL)} in object.metadata.labels`,
].join(' || ');

type Rule = Pick<LimitRule, 'excess' | 'violation'>;

/** The plan's limits of Services; `serviceExcesses` has the same rules. */
export function serviceRules({ services = {}, limitNotes = [] }: InClusterLimits): readonly LimitRule[] {
  const { refusedAnnotations = [] } = services;
  // A note on a provider applies to this provider alone.
  const notedProviders = limitNotes.flatMap(({ limit, value }) =>
    limit === 'services.loadBalancerProviders' && value !== '' ? [value] : [],
  );
  const rules = [
    ...typeRules(services),
    ...familyRules(services),
    ...refusedAnnotations.map(annotationRule),
    ...providerRules(services, notedProviders),
  ];
  return rules.map(({ excess, violation }) => ({
    excess,
    target: SERVICES,
    violation: `!(${IS_EXEMPT}) && ${violation}`,
  }));
}

function typeRules({ types }: PlanServices): Rule[] {
  if (types === undefined) return [];
  return SERVICE_TYPES.filter((type) => !types.includes(type)).map((type) => ({
    excess: typeExcess(type, types),
    violation: newlyBeyond((object) => isOfType(object, type)),
  }));
}

function isOfType(object: string, type: (typeof SERVICE_TYPES)[number]): string {
  const isNamed = `has(${object}.spec.type) && ${object}.spec.type == ${celString(type)}`;
  return type === 'ClusterIP' ? `(!has(${object}.spec.type) || ${isNamed})` : isNamed;
}

function familyRules({ ipFamilies }: PlanServices): Rule[] {
  if (ipFamilies === undefined) return [];
  return IP_FAMILIES.filter((family) => !ipFamilies.includes(family)).map((family) => ({
    excess: familyExcess(family, ipFamilies),
    violation: newlyBeyond((object) =>
      family === 'DualStack' ? isDualStack(object) : `!(${isDualStack(object)}) && ${isSingleStack(object, family)}`,
    ),
  }));
}

function isDualStack(object: string): string {
  const hasBoth = `has(${object}.spec.ipFamilies) && size(${object}.spec.ipFamilies) > 1`;
  const requiresBoth = `has(${object}.spec.ipFamilyPolicy) && ${object}.spec.ipFamilyPolicy == 'RequireDualStack'`;
  return `${hasBoth} || ${requiresBoth}`;
}

function isSingleStack(object: string, family: string): string {
  const families = `${object}.spec.ipFamilies`;
  return `has(${families}) && size(${families}) == 1 && ${families}[0] == ${celString(family)}`;
}

function annotationRule(refused: RefusedAnnotation): Rule {
  const { key, values } = refused;
  const annotations = `${OBJECT}.metadata.annotations`;
  const isOwnID = `k == ${celString(LOAD_BALANCER_ID_ANNOTATION)} && ${celString(OWN_ID_ANNOTATION)} in ${annotations} && ${annotations}[k] == ${annotations}[${celString(OWN_ID_ANNOTATION)}]`;
  const conditions = [
    celMatches('k', key),
    ...(values === undefined
      ? []
      : [`(${values.map((value) => celMatches(`${annotations}[k]`, value)).join(' || ')})`]),
    `!(k in ${celList(RECORDED_ANNOTATIONS)}) && !(${isOwnID})`,
    `!(${isUnchanged('k')})`,
  ];
  return {
    excess: annotationExcess(refused),
    violation: `${isOfType(OBJECT, 'LoadBalancer')} && has(${annotations}) && ${annotations}.exists(k, ${conditions.join(' && ')})`,
  };
}

/** Whether the stored load balancer has the same annotation. */
function isUnchanged(key: string): string {
  const old = `${OLD_OBJECT}.metadata.annotations`;
  return `request.operation == 'UPDATE' && ${isOfType(OLD_OBJECT, 'LoadBalancer')} && has(${old}) && ${key} in ${old} && ${old}[${key}] == ${OBJECT}.metadata.annotations[${key}]`;
}

function providerRules({ loadBalancerProviders: allowed }: PlanServices, notedProviders: readonly string[]): Rule[] {
  if (allowed === undefined) return [];
  const noted = [...new Set(notedProviders)].filter((provider) => !allowed.includes(provider));
  const key = celString(PROVIDER_ANNOTATION);
  const provider = `${OBJECT}.metadata.annotations[${key}].trim()`;
  const rule = (excess: Rule['excess'], isExcluded: string): Rule => {
    const isSet = `has(${OBJECT}.metadata.annotations) && ${key} in ${OBJECT}.metadata.annotations`;
    const conditions = [isOfType(OBJECT, 'LoadBalancer'), isSet, isExcluded, `!(${isUnchanged(key)})`];
    return { excess, violation: conditions.join(' && ') };
  };
  return [
    ...noted.map((each) => rule(providerExcess(allowed, each), `${provider} == ${celString(each)}`)),
    rule(providerExcess(allowed), `!(${provider} in ${celList(['', ...allowed, ...noted])})`),
  ];
}
