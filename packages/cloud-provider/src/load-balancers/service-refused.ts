/** The spec of a Service is not supported; the message says which field is wrong and what to do. */
export class ServiceRefused extends Error {
  override readonly name: string = 'ServiceRefused';
}

/** Reason of Events and conditions about limits of the plan. */
export const PLAN_LIMIT_REASON = 'PlanLimitExceeded';

/** The cluster's plan does not allow the load balancer. */
export class PlanLimitExceeded extends ServiceRefused {
  override readonly name = 'PlanLimitExceeded';
}

/** How often to check whether the plan now allows what it refused. */
export const PLAN_LIMIT_RETRY_MS = 900_000;
/** How often to check for a plan that is not in the cache yet: it exists as long as clusters use it. */
export const UNKNOWN_PLAN_RETRY_MS = 60_000;
