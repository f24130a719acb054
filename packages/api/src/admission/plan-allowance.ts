import type { FieldError } from '@fairway/kube/object/field-error';
import { durationMs } from '../domain/duration.ts';
import { chooseImage } from '../domain/image-choice.ts';
import { type AllowListName, allowanceProblem } from '../domain/plan-allowance.ts';
import { planProblems } from '../domain/plan-problems.ts';
import { minorOf } from '../domain/version-numbers.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import { sharedLimitsProblem } from '../limits/copied-limits.ts';
import { clusterFeatureErrors, poolFeatureErrors } from '../limits/features.ts';
import { type LimitError, limitError } from '../limits/notes.ts';
import { poolFieldErrors } from '../limits/pool-limits.ts';
import { windowProblem } from '../limits/version-window.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';
import { type ClusterAdmission, isNewToPlan } from './cluster-admission.ts';
import { networkAllowanceErrors } from './pool-networks.ts';
import { findByIdOrName } from './references.ts';

/** Rejects new clusters of a plan that is invalid, incomplete or being deleted. */
export function planReadyErrors(
  admission: Pick<ClusterAdmission, 'cluster' | 'old' | 'plans'>,
  plan: Plan,
): FieldError[] {
  if (!isNewToPlan(admission)) return [];
  const base = admission.plans.find(({ metadata }) => metadata.name === plan.spec.limitsFrom);
  const problem =
    plan.metadata.deletionTimestamp === undefined
      ? (sharedLimitsProblem(plan, base) ?? planProblems(plan)[0])
      : 'the operator is deleting it';
  if (problem === undefined) return [];
  const detail = `plan "${plan.metadata.name}" is not Ready and accepts no clusters: ${problem}; choose another plan, or ask the operator to fix it`;
  return [{ type: 'FieldValueForbidden', field: 'spec.plan', detail }];
}

/** Validates a Cluster against the plan's lists. A stored value is not rejected again under the same plan. */
export function clusterAllowanceErrors(admission: ClusterAdmission, plan: Plan): FieldError[] {
  const { cluster, old, catalogue } = admission;
  const { region, image, network } = cluster.spec;
  const errors: FieldError[] = [];
  const isNew = isNewToPlan(admission);
  if (isNew) {
    errors.push(...runningVersionErrors(admission, plan));
    const effective = region ?? catalogue.regions?.[0];
    if (effective !== undefined) errors.push(...notAllowedErrors(plan, 'spec.region', 'regions', effective));
    const { networkID } = network;
    const name = catalogue.networks?.find(({ id }) => id === networkID)?.name;
    if (networkID !== undefined) {
      errors.push(...notAllowedErrors(plan, 'spec.network.networkID', 'networks', networkID, { id: networkID, name }));
    }
  }
  if (image !== undefined && (isNew || image !== old?.spec.image)) errors.push(...imageErrors(plan, image, catalogue));
  errors.push(...clusterFeatureErrors(cluster.spec, isNew ? undefined : old?.spec, plan));
  return old !== undefined && isNew ? [...errors, ...poolErrorsOf(admission, plan)] : errors;
}

/** A cluster keeps its version when it moves to another plan, so that plan must allow it. */
function runningVersionErrors({ old }: ClusterAdmission, plan: Plan): FieldError[] {
  const running = old?.status?.version;
  const problem = running && windowProblem(plan, minorOf(running));
  if (!problem) return [];
  const detail = `the cluster runs ${running}, which ${problem}: choose another plan`;
  return [limitError('kubernetes', { type: 'FieldValueForbidden', field: 'spec.plan', detail }, minorOf(running))];
}

/** Errors that the cluster's pools have under the plan that the cluster moves to. */
function poolErrorsOf({ cluster, pools, catalogue }: ClusterAdmission, plan: Plan): FieldError[] {
  const own = pools.filter(({ spec }) => spec.clusterName === cluster.metadata.name);
  return own.flatMap((pool) =>
    poolAllowanceErrors({ pool, old: undefined, plan, catalogue }).map(({ field, detail, ...rest }): FieldError => {
      const words = `node pool "${pool.metadata.name}", ${field}: ${detail}`;
      return { ...rest, type: 'FieldValueForbidden', field: 'spec.plan', detail: words };
    }),
  );
}

export interface PoolAllowance {
  readonly pool: NodePool;
  readonly old: NodePool | undefined;
  readonly plan: Plan;
  readonly catalogue: CloudCatalogue;
}

/** Like `clusterAllowanceErrors`, for a NodePool. */
export function poolAllowanceErrors({ pool, old, plan, catalogue }: PoolAllowance): FieldError[] {
  const { flavor, image, upgradeStrategy } = pool.spec;
  const errors: (FieldError | LimitError)[] = [
    ...poolFieldErrors(pool.spec, old?.spec, plan),
    ...poolFeatureErrors(pool.spec, old?.spec, plan),
  ];
  if (flavor !== old?.spec.flavor) {
    const found = catalogue.flavors && findByIdOrName(catalogue.flavors, flavor);
    errors.push(...notAllowedErrors(plan, 'spec.flavor', 'flavors', flavor, found));
  }
  if (image !== undefined && image !== old?.spec.image) errors.push(...imageErrors(plan, image, catalogue));
  errors.push(...networkAllowanceErrors(pool, old, plan, catalogue));
  const { type, drainTimeout } = upgradeStrategy;
  const { allowed, maxDrainTimeout } = plan.spec;
  if (
    type !== undefined &&
    type !== old?.spec.upgradeStrategy.type &&
    allowed?.upgradeStrategies?.includes(type) === false
  ) {
    const detail = `plan "${plan.metadata.name}" allows the upgrade strategies ${allowed.upgradeStrategies.join(', ')}: choose one of them, or remove the field`;
    errors.push(
      limitError(
        'allowed.upgradeStrategies',
        { type: 'FieldValueNotSupported', field: 'spec.upgradeStrategy.type', value: type, detail },
        type,
      ),
    );
  }
  const { strategy } = pool.spec.healing;
  const isStrategyNew = strategy !== undefined && strategy !== old?.spec.healing.strategy;
  if (isStrategyNew && allowed?.healingStrategies?.includes(strategy) === false) {
    const detail = `plan "${plan.metadata.name}" allows the healing strategies ${allowed.healingStrategies.join(', ')}: choose one of them, or remove the field`;
    errors.push(
      limitError(
        'allowed.healingStrategies',
        { type: 'FieldValueNotSupported', field: 'spec.healing.strategy', value: strategy, detail },
        strategy,
      ),
    );
  }
  const isTooLong = drainTimeout && maxDrainTimeout && durationMs(drainTimeout) > durationMs(maxDrainTimeout);
  if (isTooLong && drainTimeout !== old?.spec.upgradeStrategy.drainTimeout) {
    const detail = `plan "${plan.metadata.name}" allows at most ${maxDrainTimeout}: lower it, or remove the field`;
    errors.push(
      limitError('maxDrainTimeout', {
        type: 'FieldValueInvalid',
        field: 'spec.upgradeStrategy.drainTimeout',
        value: drainTimeout,
        detail,
      }),
    );
  }
  const { onDrainTimeout } = upgradeStrategy;
  if (onDrainTimeout === 'Hold' && maxDrainTimeout && onDrainTimeout !== old?.spec.upgradeStrategy.onDrainTimeout) {
    const detail = `plan "${plan.metadata.name}" limits drains to ${maxDrainTimeout} (maxDrainTimeout): choose Force, or remove the field`;
    errors.push(
      limitError('maxDrainTimeout', {
        type: 'FieldValueInvalid',
        field: 'spec.upgradeStrategy.onDrainTimeout',
        value: onDrainTimeout,
        detail,
      }),
    );
  }
  return errors;
}

function imageErrors(plan: Plan, image: string, { images }: CloudCatalogue): FieldError[] {
  const found = images && (chooseImage(images, image) ?? findByIdOrName(images, image));
  return notAllowedErrors(plan, 'spec.image', 'images', image, found);
}

function notAllowedErrors(
  plan: Plan,
  field: string,
  listName: AllowListName,
  value: string,
  found?: { readonly id: string; readonly name: string | undefined },
): FieldError[] {
  const detail = allowanceProblem(plan, listName, found ?? { id: value, name: value });
  if (detail === undefined) return [];
  return [limitError(`allowed.${listName}`, { type: 'FieldValueInvalid', field, value, detail }, value)];
}
