import { ConditionReason } from '@fairway/api/conditions';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { LoadBalancerFlavor } from '@fairway/openstack/types/load-balancer';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { ANNOTATION } from './annotation-names.ts';
import { displayText } from './display-text.ts';
import type { LoadBalancerSpec } from './load-balancer-spec.ts';
import { isOvn } from './provider-limits.ts';
import { ServiceRefused } from './service-refused.ts';
import type { PresentServiceScope } from './service-scope.ts';

type NamedFlavor = NonNullable<LoadBalancerSpec['flavor']>;

/** Limit for all projects together; the cache is cleared when it is exceeded. */
const MAX_CACHE_ENTRIES = 1_000;
/** Limit on flavors in a message; most clouds have only a handful. */
const MAX_LISTED_FLAVORS = 20;

/** Octavia's flavors, as visible to each project. */
export class LoadBalancerFlavors {
  readonly #cached = new Map<string, readonly LoadBalancerFlavor[]>();

  /**
   * The current ID of the flavor for a new load balancer. Rejects with ProblemError if the flavor does not exist,
   * because an operator may create it.
   */
  async require(scope: PresentServiceScope, { flavor, provider }: LoadBalancerSpec): Promise<string | undefined> {
    if (flavor === undefined) return undefined;
    if (isOvn(provider)) {
      const field = 'id' in flavor ? ANNOTATION.flavorID : ANNOTATION.ovhFlavor;
      throw new ServiceRefused(
        `annotation ${field}: provider ovn does not support flavors; use provider amphora, or remove the annotation`,
      );
    }
    const all = await this.#list(scope);
    const found = all && findFlavor(all, flavor);
    if (found !== undefined) return found.id;
    throw new ProblemError({
      reason: ConditionReason.ConfigurationInvalid,
      message: missingFlavorMessage(flavor, all),
    });
  }

  /**
   * The ID of the flavor to compare with an existing load balancer's. Flavors are requested once; an unknown name is
   * returned unchanged, so it differs from every ID. Undefined if flavors are not visible.
   */
  async flavorDifference(scope: PresentServiceScope, flavor: LoadBalancerSpec['flavor']): Promise<string | undefined> {
    if (flavor === undefined || 'id' in flavor) return flavor?.id;
    const all = this.#cached.get(scope.projectID) ?? (await this.#list(scope));
    return all && (findFlavor(all, flavor)?.id ?? flavor.name);
  }

  /** Undefined if the flavors are not visible. */
  async #list({ cloud, projectID, signal }: PresentServiceScope): Promise<readonly LoadBalancerFlavor[] | undefined> {
    try {
      const all = await cloud.client.loadBalancing.flavors({ signal });
      if (this.#cached.size >= MAX_CACHE_ENTRIES) this.#cached.clear();
      this.#cached.set(projectID, all);
      return all;
    } catch (error) {
      if (isOpenStackError(error, 'notFound') || isOpenStackError(error, 'forbidden')) return undefined;
      throw error;
    }
  }
}

function findFlavor(all: readonly LoadBalancerFlavor[], flavor: NamedFlavor): LoadBalancerFlavor | undefined {
  const enabled = all.filter((each) => each.enabled);
  return enabled.find(({ id, name }) => ('id' in flavor ? id === flavor.id : name === flavor.name));
}

function missingFlavorMessage(flavor: NamedFlavor, all: readonly LoadBalancerFlavor[] | undefined): string {
  const [annotation, value] = 'id' in flavor ? [ANNOTATION.flavorID, flavor.id] : [ANNOTATION.ovhFlavor, flavor.name];
  const annotationText = `annotation ${annotation}: "${displayText(value)}"`;
  if (all === undefined) {
    return `${annotationText}: load balancer flavors are not visible to this project; remove the annotation to use the cloud's default, or ask the cloud operator for permission to list them`;
  }
  const enabled = all.filter((each) => each.enabled);
  const createAdvice = 'ask the cloud operator to create one (`openstack loadbalancer flavor create`)';
  const advice = `remove the annotation to use the cloud's default, or ${createAdvice}`;
  if (enabled.length === 0) return `${annotationText}: the cloud has no load balancer flavors; ${advice}`;
  const listed = enabled
    .slice(0, MAX_LISTED_FLAVORS)
    .map(({ id, name }) => displayText('id' in flavor ? `${id} (${name})` : name));
  const more = enabled.length > MAX_LISTED_FLAVORS ? ` and ${enabled.length - MAX_LISTED_FLAVORS} more` : '';
  return `${annotationText}: the cloud has no such load balancer flavor; specify one of ${listed.join(', ')}${more}, ${advice}`;
}
