import type { Deployment, DeploymentSpec } from '@fairway/kube/kinds/generated/types';
import { Deployments } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { forbidden, invalidValue, nonNegative, unsupported } from '../field-errors.ts';
import { defaultPodTemplate } from '../pod/pod-defaults.ts';
import { AGE, text, wide } from '../printing/column.ts';
import { formatLabelSelector } from '../printing/labels.ts';
import { containerColumns } from '../printing/pod-template.ts';
import { atMostHundredPercent, countOrPercentErrors, immutable, isZeroCount } from '../validation-common.ts';
import { workloadTemplateErrors } from '../workload-validation.ts';

function defaultDeployment(spec: DeploymentSpec): void {
  spec.strategy ??= {};
  setDefaults(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  setDefaults(spec.strategy, { type: 'RollingUpdate' });
  if (spec.strategy.type === 'RollingUpdate') {
    spec.strategy.rollingUpdate ??= {};
    setDefaults(spec.strategy.rollingUpdate, { maxUnavailable: '25%', maxSurge: '25%' });
  }
  defaultPodTemplate(spec.template);
}

function specErrors(spec: DeploymentSpec): FieldError[] {
  const errors = [
    ...nonNegative('spec.replicas', spec.replicas),
    ...workloadTemplateErrors(spec.template, spec.selector, 'deployment'),
    ...strategyErrors(spec),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...nonNegative('spec.progressDeadlineSeconds', spec.progressDeadlineSeconds),
  ];
  const deadline = spec.progressDeadlineSeconds;
  if (deadline !== undefined && deadline <= (spec.minReadySeconds ?? 0)) {
    errors.push(invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
  }
  return errors;
}

function strategyErrors({ strategy }: DeploymentSpec): FieldError[] {
  const path = 'spec.strategy.rollingUpdate';
  const { type, rollingUpdate } = strategy ?? {};
  if (type === 'Recreate') {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [forbidden(path, detail)];
  }
  if (type !== 'RollingUpdate') {
    return [unsupported('spec.strategy', strategy, ['Recreate', 'RollingUpdate'])];
  }
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const errors = [
    ...countOrPercentErrors(`${path}.maxUnavailable`, maxUnavailable),
    ...countOrPercentErrors(`${path}.maxSurge`, maxSurge),
  ];
  if (isZeroCount(maxUnavailable) && isZeroCount(maxSurge)) {
    errors.push(invalidValue(`${path}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  return [...errors, ...atMostHundredPercent(`${path}.maxUnavailable`, maxUnavailable)];
}

export const DeploymentKind = defineKind(Deployments, {
  definition: 'io.k8s.api.apps.v1.Deployment',
  shortNames: ['deploy'],
  categories: ['all'],
  hasStatus: true,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.spec.selector',
  },
  strategy: {
    default: ({ spec }) => defaultDeployment(spec),
    prepareForCreate(deployment) {
      deployment.status = {};
    },
    validate: ({ spec }, old) => [
      ...specErrors(spec),
      ...(old === undefined ? [] : immutable('spec.selector', spec.selector, old.spec.selector)),
    ],
  },
  columns: [
    text('Ready', ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 1}`),
    text('Up-to-date', ({ status }) => status?.updatedReplicas ?? 0),
    text('Available', ({ status }) => status?.availableReplicas ?? 0),
    AGE,
    ...containerColumns<Deployment>(({ spec }) => spec.template.spec?.containers ?? []),
    wide(text('Selector', ({ spec }) => formatLabelSelector(spec.selector))),
  ],
});
