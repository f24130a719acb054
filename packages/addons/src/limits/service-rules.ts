import { IP_FAMILIES } from '@fairway/api/kinds/plan-limits';
import type { PlanServices, RefusedAnnotation } from '@fairway/api/kinds/plan-services';
import { SERVICE_TYPES } from '@fairway/api/kinds/plan-services';
import type { InClusterLimits } from '@fairway/api/limits/in-cluster';
import {
  annotationExcess,
  familyExcess,
  hasPattern,
  LOAD_BALANCER_ID_ANNOTATION,
  MAX_ANNOTATIONS,
  MAX_COMPARED_CHARACTERS,
  OWN_ID_ANNOTATION,
  PROVIDER_ANNOTATION,
  providerExcess,
  RECORDED_ANNOTATIONS,
  tooManyAnnotationsExcess,
  typeExcess,
} from '@fairway/api/limits/service-limits';
import { Services } from '@fairway/kube/kinds/resources';
import { ADDON_NAMESPACE } from '../addon.ts';
import { CORE_DNS_OBJECTS } from '../core-dns/objects.ts';
import { METRICS_SERVER_OBJECTS } from '../metrics-server/objects.ts';
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

const ADDON_SERVICES = [...CORE_DNS_OBJECTS, ...METRICS_SERVER_OBJECTS].flatMap(({ type, name }) =>
  type === Services ? [name] : [],
);
/** Services without which a cluster does not work. */
const IS_EXEMPT = [
  "object.metadata.namespace == 'default' && object.metadata.name == 'kubernetes'",
  `object.metadata.namespace == ${celString(ADDON_NAMESPACE)} && object.metadata.name in ${celList(ADDON_SERVICES)}`,
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
    ...(refusedAnnotations.some(hasPattern) ? [ANNOTATION_COUNT_RULE] : []),
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

const ANNOTATIONS = `${OBJECT}.metadata.annotations`;
const OLD_ANNOTATIONS = `${OLD_OBJECT}.metadata.annotations`;

/** Keeps the other rules within Kubernetes' limits of cost. */
const ANNOTATION_COUNT_RULE: Rule = {
  excess: tooManyAnnotationsExcess(),
  violation: newlyBeyond(
    (object) =>
      `${isOfType(object, 'LoadBalancer')} && has(${object}.metadata.annotations) && size(${object}.metadata.annotations) > ${MAX_ANNOTATIONS}`,
  ),
};

function annotationRule(refused: RefusedAnnotation): Rule {
  const { key } = refused;
  const isPresent = hasPattern(refused)
    ? `size(${ANNOTATIONS}) <= ${MAX_ANNOTATIONS} && ${ANNOTATIONS}.exists(k, ${celMatches('k', key)} && ${isNewlyRefused('k', refused)})`
    : `${celString(key)} in ${ANNOTATIONS} && ${isNewlyRefused(celString(key), refused)}`;
  return {
    excess: annotationExcess(refused),
    violation: `${isOfType(OBJECT, 'LoadBalancer')} && has(${ANNOTATIONS}) && ${isPresent}`,
  };
}

/** Whether the annotation has a refused value, and neither was stored nor is a record. `key`: an expression. */
function isNewlyRefused(key: string, { values }: RefusedAnnotation): string {
  // Controllers ignore surrounding spaces and, for most annotations, the case. The list computes the value once.
  const value = `${ANNOTATIONS}[${key}]`;
  const read = `[${value}.trim().lowerAscii()]`;
  const isRefused = values?.map((pattern) => celMatches('v', pattern.toLowerCase())).join(' || ');
  const conditions = [
    ...(isRefused === undefined
      ? []
      : [`(size(${value}) > ${MAX_COMPARED_CHARACTERS} || ${read}.exists(v, ${isRefused}))`]),
    `!(${key} in ${celList(RECORDED_ANNOTATIONS)})`,
    `!(${key} == ${ID_KEY} && ${IS_OWN_ID})`,
    `!(${isUnchanged(key)})`,
  ];
  return conditions.join(' && ');
}

const ID_KEY = celString(LOAD_BALANCER_ID_ANNOTATION);
const OWN_ID_KEY = celString(OWN_ID_ANNOTATION);
const IS_OWN_ID = `${OWN_ID_KEY} in ${ANNOTATIONS} && ${ANNOTATIONS}[${ID_KEY}] == ${ANNOTATIONS}[${OWN_ID_KEY}]`;

/**
 * Whether the stored load balancer has the same annotation. Fairway itself changes the ID of a shared load balancer when
 * it is replaced.
 */
function isUnchanged(key: string): string {
  const isSame = `${key} == ${ID_KEY} || ${OLD_ANNOTATIONS}[${key}] == ${ANNOTATIONS}[${key}]`;
  return `request.operation == 'UPDATE' && ${isOfType(OLD_OBJECT, 'LoadBalancer')} && has(${OLD_ANNOTATIONS}) && ${key} in ${OLD_ANNOTATIONS} && (${isSame})`;
}

function providerRules({ loadBalancerProviders: allowed }: PlanServices, notedProviders: readonly string[]): Rule[] {
  if (allowed === undefined) return [];
  const noted = [...new Set(notedProviders)].filter((provider) => !allowed.includes(provider));
  const key = celString(PROVIDER_ANNOTATION);
  const provider = `${ANNOTATIONS}[${key}].trim()`;
  const rule = (excess: Rule['excess'], isExcluded: string): Rule => {
    const isSet = `has(${ANNOTATIONS}) && ${key} in ${ANNOTATIONS}`;
    const conditions = [isOfType(OBJECT, 'LoadBalancer'), isSet, isExcluded, `!(${isUnchanged(key)})`];
    return { excess, violation: conditions.join(' && ') };
  };
  return [
    ...noted.map((each) => rule(providerExcess(allowed, each), `${provider} == ${celString(each)}`)),
    rule(providerExcess(allowed), `!(${provider} in ${celList(['', ...allowed, ...noted])})`),
  ];
}
