import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from '@fairway/kube/kinds/generated/types';
import { DaemonSets } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { invalidValue, nonNegative, required, unsupported } from '../field-errors.ts';
import { defaultPodTemplate } from '../pod/pod-defaults.ts';
import { AGE, count, text, wide } from '../printing/column.ts';
import { formatLabelSelector, formatLabels } from '../printing/labels.ts';
import { containerColumns } from '../printing/pod-template.ts';
import { atMostHundredPercent, countOrPercentErrors, immutable, isZeroCount } from '../validation-common.ts';
import { workloadTemplateErrors } from '../workload-validation.ts';

/** Counts the templates that a DaemonSet has had; before apps/v1 this count was a field in the spec. */
const TEMPLATE_GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';

function defaultDaemonSet(spec: DaemonSetSpec): void {
  spec.updateStrategy ??= {};
  setDefaults(spec.updateStrategy, { type: 'RollingUpdate' });
  if (spec.updateStrategy.type === 'RollingUpdate') {
    spec.updateStrategy.rollingUpdate ??= {};
    const rolling = spec.updateStrategy.rollingUpdate;
    rolling.maxUnavailable ??= 1;
    rolling.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template);
}

function specErrors(spec: DaemonSetSpec): FieldError[] {
  return [
    ...workloadTemplateErrors(spec.template, spec.selector, 'daemonset'),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...updateStrategyErrors(spec.updateStrategy),
  ];
}

function updateStrategyErrors(strategy: DaemonSetUpdateStrategy = {}): FieldError[] {
  if (strategy.type === 'OnDelete') return [];
  if (strategy.type === 'RollingUpdate') return rollingErrors(strategy.rollingUpdate ?? {});
  return [unsupported('spec.updateStrategy', strategy, ['RollingUpdate', 'OnDelete'])];
}

function rollingErrors(rolling: RollingUpdateDaemonSet): FieldError[] {
  const path = 'spec.updateStrategy.rollingUpdate';
  const { maxUnavailable, maxSurge } = rolling;
  const errors = [
    ...countOrPercentErrors(`${path}.maxUnavailable`, maxUnavailable),
    ...countOrPercentErrors(`${path}.maxSurge`, maxSurge),
    ...atMostHundredPercent(`${path}.maxUnavailable`, maxUnavailable),
    ...atMostHundredPercent(`${path}.maxSurge`, maxSurge),
  ];
  const hasUnavailable = !isZeroCount(maxUnavailable);
  const hasSurge = !isZeroCount(maxSurge);
  if (hasUnavailable && hasSurge) {
    errors.push(invalidValue(`${path}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  } else if (!hasUnavailable && !hasSurge) {
    errors.push(required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
}

export const DaemonSetKind = defineKind(DaemonSets, {
  definition: 'io.k8s.api.apps.v1.DaemonSet',
  shortNames: ['ds'],
  categories: ['all'],
  hasStatus: true,
  strategy: {
    default: ({ spec }) => defaultDaemonSet(spec),
    prepareForCreate(set) {
      set.metadata.annotations = { ...set.metadata.annotations, [TEMPLATE_GENERATION_ANNOTATION]: '1' };
      set.status = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
    },
    prepareForUpdate(set, old) {
      const previous = Number.parseInt(old.metadata.annotations?.[TEMPLATE_GENERATION_ANNOTATION] ?? '1', 10);
      const generation = jsonEqual(set.spec.template, old.spec.template) ? previous : previous + 1;
      set.metadata.annotations = { ...set.metadata.annotations, [TEMPLATE_GENERATION_ANNOTATION]: `${generation}` };
    },
    validate: ({ spec }, old) => [
      ...specErrors(spec),
      ...(old === undefined ? [] : immutable('spec.selector', spec.selector, old.spec.selector)),
    ],
  },
  columns: [
    count('Desired', ({ status }) => status?.desiredNumberScheduled ?? 0),
    count('Current', ({ status }) => status?.currentNumberScheduled ?? 0),
    count('Ready', ({ status }) => status?.numberReady ?? 0),
    count('Up-to-date', ({ status }) => status?.updatedNumberScheduled ?? 0),
    count('Available', ({ status }) => status?.numberAvailable ?? 0),
    text('Node Selector', ({ spec }) => formatLabels(spec.template.spec?.nodeSelector)),
    AGE,
    ...containerColumns<DaemonSet>(({ spec }) => spec.template.spec?.containers ?? []),
    wide(text('Selector', ({ spec }) => formatLabelSelector(spec.selector))),
  ],
});
