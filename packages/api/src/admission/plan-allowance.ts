import type { FieldError } from '@fairway/kube/object/field-error';
import { durationMs } from '../domain/duration.ts';
import { type AllowedThing, allowanceProblem } from '../domain/plan-allowance.ts';
import { planProblems } from '../domain/plan-problems.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';
import { type ClusterAdmission, isNewToPlan } from './cluster-admission.ts';
import { findByIdOrName } from './references.ts';

/** Refuses new clusters of a plan that can't work, or that is going. */
export function planReadyErrors(admission: Pick<ClusterAdmission, 'cluster' | 'old'>, plan: Plan): FieldError[] {
  if (!isNewToPlan(admission)) return [];
  const problem = plan.metadata.deletionTimestamp === undefined ? planProblems(plan)[0] : 'the operator is deleting it';
  if (problem === undefined) return [];
  const detail = `plan "${plan.metadata.name}" is not Ready and takes no clusters: ${problem}; choose another plan, or ask the operator to mend it`;
  return [{ type: 'FieldValueForbidden', field: 'spec.plan', detail }];
}

/** Validates what a Cluster names against the plan's lists. A stored value is not refused again by the same plan. */
export function clusterAllowanceErrors(admission: ClusterAdmission, plan: Plan): FieldError[] {
  const { cluster, old, catalogue } = admission;
  const { region, image, network } = cluster.spec;
  const errors: FieldError[] = [];
  const isNew = isNewToPlan(admission);
  if (isNew) {
    const effective = region ?? catalogue.regions?.[0];
    if (effective !== undefined) errors.push(...notAllowed(plan, 'spec.region', 'regions', effective));
    const { networkID } = network;
    const name = catalogue.networks?.find(({ id }) => id === networkID)?.name;
    if (networkID !== undefined) {
      errors.push(...notAllowed(plan, 'spec.network.networkID', 'networks', networkID, { id: networkID, name }));
    }
  }
  if (image !== undefined && (isNew || image !== old?.spec.image)) errors.push(...imageErrors(plan, image, catalogue));
  return old !== undefined && isNew ? [...errors, ...poolErrorsOf(admission, plan)] : errors;
}

/** What the plan that a cluster moves to would have said of its pools. */
function poolErrorsOf({ cluster, pools, catalogue }: ClusterAdmission, plan: Plan): FieldError[] {
  const own = pools.filter(({ spec }) => spec.clusterName === cluster.metadata.name);
  return own.flatMap((pool) =>
    poolAllowanceErrors({ pool, old: undefined, plan, catalogue }).map(({ field, detail }): FieldError => {
      const words = `node pool "${pool.metadata.name}", ${field}: ${detail}`;
      return { type: 'FieldValueForbidden', field: 'spec.plan', detail: words };
    }),
  );
}

export interface PoolAllowance {
  readonly pool: NodePool;
  readonly old: NodePool | undefined;
  readonly plan: Plan;
  readonly catalogue: CloudCatalogue;
}

/** As `clusterAllowanceErrors`, of a NodePool. */
export function poolAllowanceErrors({ pool, old, plan, catalogue }: PoolAllowance): FieldError[] {
  const { flavor, image, upgradeStrategy } = pool.spec;
  const errors: FieldError[] = [];
  if (flavor !== old?.spec.flavor) {
    const found = catalogue.flavors && findByIdOrName(catalogue.flavors, flavor);
    errors.push(...notAllowed(plan, 'spec.flavor', 'flavors', flavor, found));
  }
  if (image !== undefined && image !== old?.spec.image) errors.push(...imageErrors(plan, image, catalogue));
  const { type, drainTimeout } = upgradeStrategy;
  const { allowed, maxDrainTimeout } = plan.spec;
  if (
    type !== undefined &&
    type !== old?.spec.upgradeStrategy.type &&
    allowed?.upgradeStrategies?.includes(type) === false
  ) {
    const detail = `plan "${plan.metadata.name}" allows the upgrade strategies ${allowed.upgradeStrategies.join(', ')}: choose one of these, or leave it out`;
    errors.push({ type: 'FieldValueNotSupported', field: 'spec.upgradeStrategy.type', value: type, detail });
  }
  const { strategy } = pool.spec.healing;
  const isOther = strategy !== undefined && strategy !== old?.spec.healing.strategy;
  if (isOther && allowed?.healingStrategies?.includes(strategy) === false) {
    const detail = `plan "${plan.metadata.name}" allows the healing strategies ${allowed.healingStrategies.join(', ')}: choose one of these, or leave it out`;
    errors.push({ type: 'FieldValueNotSupported', field: 'spec.healing.strategy', value: strategy, detail });
  }
  const isTooLong = drainTimeout && maxDrainTimeout && durationMs(drainTimeout) > durationMs(maxDrainTimeout);
  if (isTooLong && drainTimeout !== old?.spec.upgradeStrategy.drainTimeout) {
    const detail = `plan "${plan.metadata.name}" allows at most ${maxDrainTimeout}: lower it, or leave it out`;
    errors.push({ type: 'FieldValueInvalid', field: 'spec.upgradeStrategy.drainTimeout', value: drainTimeout, detail });
  }
  const { onDrainTimeout } = upgradeStrategy;
  if (onDrainTimeout === 'Hold' && maxDrainTimeout && onDrainTimeout !== old?.spec.upgradeStrategy.onDrainTimeout) {
    const detail = `plan "${plan.metadata.name}" lets a drain wait ${maxDrainTimeout} at most (maxDrainTimeout): choose Force, or leave it out`;
    errors.push({
      type: 'FieldValueInvalid',
      field: 'spec.upgradeStrategy.onDrainTimeout',
      value: onDrainTimeout,
      detail,
    });
  }
  return errors;
}

function imageErrors(plan: Plan, image: string, { images }: CloudCatalogue): FieldError[] {
  const found = images && findByIdOrName(images, image);
  return notAllowed(plan, 'spec.image', 'images', image, found);
}

function notAllowed(
  plan: Plan,
  field: string,
  thing: AllowedThing,
  value: string,
  found?: { readonly id: string; readonly name: string | undefined },
): FieldError[] {
  const detail = allowanceProblem(plan, thing, found ?? { id: value, name: value });
  return detail === undefined ? [] : [{ type: 'FieldValueInvalid', field, value, detail }];
}
