import {
  admitCluster,
  clusterLimitWarnings,
  clusterWarnings,
  versionWarnings,
} from '@fairway/api/admission/admit-cluster';
import { admitNodePool, nodePoolWarnings } from '@fairway/api/admission/admit-node-pool';
import type { CloudCatalogue } from '@fairway/api/admission/cloud-catalogue';
import { hibernationWarnings } from '@fairway/api/admission/cluster-hibernation';
import { resetWarnings } from '@fairway/api/admission/cluster-reset';
import { clusterRequests } from '@fairway/api/admission/counted-requests';
import { dryRunSiblings } from '@fairway/api/admission/dry-run-siblings';
import { heldFinalizerErrors } from '@fairway/api/admission/held-finalizer';
import { replayWarnings, restoreWarnings } from '@fairway/api/admission/replayed-requests';
import type { UnenforcedFields } from '@fairway/api/admission/unenforced-fields';
import type { NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import { GROUP } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { isClusterNameMutable } from '@fairway/api/kinds/node-pool-rules';
import { plans } from '@fairway/api/kinds/plan';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import type { AdmissionPlugin, AdmissionRequest } from '@fairway/apiserver/server/admission';
import type { Clock } from '@fairway/base/clock';
import { forbidden } from '@fairway/kube/object/api-error';
import { type FieldError, invalid } from '@fairway/kube/object/field-error';
import type { CloudOffer } from '@fairway/tenancy/cloud/cloud-offer';
import type { Clouds } from '@fairway/tenancy/cloud/project-cloud';
import { dryRunWarnings } from '../upgrade-plan/dry-run-warnings.ts';
import type { PlanUpgrade } from '../upgrade-plan/upgrade-plan-request.ts';
import { validateCatalogueChange, warnAboutPins, warnAboutPlanFields } from './catalogue-in-use.ts';
import { validateCredentialDeletion } from './credential-in-use.ts';
import { keystonePolicyErrors } from './keystone-policy.ts';
import { checkNumber } from './namespace-limits-admission.ts';
import { needsValidation } from './needs-validation.ts';
import { validatePlan } from './plan-admission.ts';
import type { StoredFacts } from './stored-facts.ts';
import { validateRequests } from './validate-requests.ts';

export interface FairwayAdmissionOptions {
  readonly stored: StoredFacts;
  /** Limits on the contents of a namespace; used only if `stored` can count objects. */
  readonly limits?: NamespaceLimits | undefined;
  /**
   * Resolves when `clouds` reflects the namespace's stored state; called before a request is rejected for lack of a
   * cloud.
   */
  readonly waitForCache?: (namespace: string, credentialName: string | undefined) => Promise<void>;
  readonly clouds: Clouds;
  readonly offer: CloudOffer;
  /** The fields of a Cluster that its control plane would not enforce here; by default, all are enforced. */
  readonly unenforcedFields?: (() => Promise<UnenforcedFields>) | undefined;
  /** Why clusters here cannot admit Keystone users; if undefined, they can. */
  readonly keystoneProblem?: string | undefined;
  /** Plans dry runs of a version change; undefined by default, and until the controllers run. */
  readonly upgradePlans?: (() => PlanUpgrade | undefined) | undefined;
  readonly clock: Clock;
  /** Whether the user is one of Fairway's controllers; only they set and remove Fairway's finalizer. */
  readonly isFairwayUser: (user: UserInfo) => boolean;
}

/**
 * Validates Clusters and NodePools against plans, releases and their namespace's cloud, and protects plans and
 * releases in use. The rules are pure and tested in `api`.
 */
export function fairwayAdmission(options: FairwayAdmissionOptions): AdmissionPlugin {
  return {
    name: 'Fairway',
    async validate(request) {
      guardFinalizer(options, request);
      if (request.resource.group === GROUP) {
        if (options.limits) await checkNumber(request, options.limits, options.stored);
        await validateCatalogueChange(options.stored, request);
        await validateCredentialDeletion(options.stored, request);
        warnAboutPins(request);
        warnAboutPlanFields(request);
      }
      const { plural } = request.resource;
      if (needsValidation(request) && plural === plans.plural && !options.isFairwayUser(request.user)) {
        await validatePlan(options.stored, request);
      }
      if (needsValidation(request) && plural === clusters.plural) return validateCluster(options, request);
      if (needsValidation(request) && plural === nodePools.plural) await validateNodePool(options, request);
      await validateRequests(options, request);
    },
  };
}

/**
 * Runs even if nothing else changes. On create, the finalizer is allowed: a copied or restored object already has it,
 * and it would be added anyway.
 */
function guardFinalizer({ isFairwayUser }: FairwayAdmissionOptions, request: AdmissionRequest): void {
  const { object, oldObject, user, resource, operation } = request;
  if (operation !== 'UPDATE' || resource.group !== GROUP || !object || !oldObject || isFairwayUser(user)) return;
  refuse(resource, request, heldFinalizerErrors(object, oldObject));
}

async function validateCluster(options: FairwayAdmissionOptions, request: AdmissionRequest): Promise<void> {
  const { stored } = options;
  const { namespace, name } = request;
  const cluster = request.object as Cluster;
  const { credentialName } = cluster.spec;
  const [plans, releases, all, pools, credential, quota, unenforcedFields] = await Promise.all([
    stored.plans(),
    stored.releases(),
    stored.clusters(namespace),
    stored.nodePools(namespace),
    credentialName === undefined ? undefined : stored.credential(namespace, credentialName),
    stored.quota(namespace),
    options.unenforcedFields?.(),
  ]);
  const otherClusters = all.filter(({ metadata }) => metadata.name !== name);
  const old = request.oldObject as Cluster | undefined;
  const facts = {
    cluster,
    old,
    plans,
    releases,
    credential,
    others: otherClusters,
    pools,
    quota,
    unenforcedFields,
    keystoneProblem: options.keystoneProblem,
    nowMs: options.clock.now(),
  };
  const validateObject = (catalogue: CloudCatalogue) => admitCluster({ ...facts, catalogue });
  const { errors, catalogue } = await validateAgainstOffer(options, request, credentialName, validateObject);
  refuse(clusters, request, [...errors, ...keystonePolicyErrors(cluster, old)]);
  const plan = plans.find(({ metadata }) => metadata.name === cluster.spec.plan)?.spec;
  const warnings = [
    ...clusterLimitWarnings({ ...facts, catalogue }),
    ...clusterWarnings(cluster, facts.old, plan),
    ...versionWarnings(facts),
    ...hibernationWarnings({ ...facts, catalogue }),
    ...resetWarnings(facts),
    ...replayWarnings(clusterRequests(cluster, old)),
    ...restoreWarnings(facts),
  ];
  for (const warning of warnings) request.warn(warning);
  if (!request.dryRun) return;
  const planner = options.upgradePlans?.();
  for (const warning of await dryRunWarnings({ planner, cluster, old, clock: options.clock })) request.warn(warning);
}

async function validateNodePool(options: FairwayAdmissionOptions, request: AdmissionRequest): Promise<void> {
  const { stored } = options;
  const { namespace, name } = request;
  const pool = request.object as NodePool;
  const [plans, storedClusters, all, quota] = await Promise.all([
    stored.plans(),
    stored.clusters(namespace),
    stored.nodePools(namespace),
    stored.quota(namespace),
  ]);
  const dryRunObjects = dryRunSiblings(request);
  const found = withSiblings(storedClusters, dryRunObjects.clusters);
  const otherClusters = withSiblings(all, dryRunObjects.pools).filter(({ metadata }) => metadata.name !== name);
  const facts = {
    pool,
    old: poolForQuota(pool, request.oldObject as NodePool | undefined),
    clusters: found,
    others: otherClusters,
    plans,
    quota,
    nowMs: options.clock.now(),
  };
  const validateObject = (catalogue: CloudCatalogue) => admitNodePool({ ...facts, catalogue });
  const cluster = found.find(({ metadata }) => metadata.name === pool.spec.clusterName);
  const required = { securityGroups: (pool.spec.securityGroups ?? []).length > 0 };
  const { errors, catalogue } = await validateAgainstOffer(
    options,
    request,
    cluster?.spec.credentialName,
    validateObject,
    required,
  );
  refuse(nodePools, request, errors);
  for (const warning of nodePoolWarnings({ ...facts, catalogue })) request.warn(warning);
}

/**
 * The stored pool, whose values aren't rejected again. A pool that moves to another cluster is validated as a new pool.
 */
function poolForQuota({ spec }: NodePool, old: NodePool | undefined): NodePool | undefined {
  const isMoved = old !== undefined && spec.clusterName !== old.spec.clusterName && isClusterNameMutable(old);
  return isMoved ? undefined : old;
}

/** Referenced cloud resources; each kind is listed by a different service. */
const CHECKED_LISTS = ['flavors', 'images', 'networks'] as const;

/**
 * Validates against cached lists from the cloud and, before rejecting, against fresh ones: a resource may have been
 * created a moment ago.
 */
async function validateAgainstOffer(
  { clouds, offer, waitForCache }: FairwayAdmissionOptions,
  request: AdmissionRequest,
  credentialName: string | undefined,
  validateObject: (catalogue: CloudCatalogue) => readonly FieldError[],
  required: { readonly securityGroups?: boolean } = {},
): Promise<{ readonly errors: readonly FieldError[]; readonly catalogue: CloudCatalogue }> {
  let cloud = clouds.forNamespace(request.namespace, credentialName);
  if (cloud === undefined && waitForCache) {
    await waitForCache(request.namespace, credentialName);
    cloud = clouds.forNamespace(request.namespace, credentialName);
  }
  if (cloud === undefined && credentialName !== undefined) {
    const detail = 'no CloudCredential with this name exists in the namespace, or its cloud is not configured';
    throw invalid(clusters, request.name, [
      { type: 'FieldValueNotFound', field: 'spec.credentialName', value: credentialName, detail },
    ]);
  }
  if (cloud === undefined) {
    const subject = { group: GROUP, resource: request.resource.plural, name: request.name };
    throw forbidden(
      subject,
      `namespace "${request.namespace}" has no cloud: ask the operator to set the annotation fairway.dev/cloud on it`,
    );
  }
  const catalogue = await offer.catalogueOf(cloud, required);
  const unavailableLists = CHECKED_LISTS.filter((list) => catalogue[list] === undefined);
  if (unavailableLists.length > 0) {
    const lists = new Intl.ListFormat('en-GB').format(unavailableLists);
    request.warn(`the cloud does not respond: ${lists} will be checked later by the controllers`);
  }
  const errors = validateObject(catalogue);
  // All other errors are independent of the cloud's resources.
  const concernsOffer = errors.length > validateObject({}).length;
  if (!concernsOffer) return { errors, catalogue };
  const current = await offer.catalogueOf(cloud, { ...required, maxAgeMs: 0 });
  return { errors: validateObject(current), catalogue: current };
}

function refuse(kind: { group: string; kind: string }, request: AdmissionRequest, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(kind, request.name, errors);
}

/** If two objects have the same name, the stored one wins. */
function withSiblings<T extends Cluster | NodePool>(objects: readonly T[], siblings: readonly T[]): readonly T[] {
  const names = new Set(objects.map(({ metadata }) => metadata.name));
  return [...objects, ...siblings.filter(({ metadata }) => !names.has(metadata.name))];
}
