import { formatTime } from '@fairway/base/clock';
import type { Pod, PodStatus } from '@fairway/kube/kinds/generated/types';
import { Pods } from '@fairway/kube/kinds/resources';
import { defineKind, type KindStrategy } from '../define-kind.ts';
import { forbidden } from '../field-errors.ts';
import { AGE, text, wide } from '../printing/column.ts';
import { defaultPodOnlyFields, defaultPodSpec } from './pod-defaults.ts';
import { formatRestarts, summarizePod } from './pod-summary.ts';
import { podUpdateErrors } from './pod-update-validation.ts';
import { podSpecErrors } from './pod-validation.ts';
import { qosClassOf } from './qos-class.ts';

const strategy: KindStrategy<Pod> = {
  default({ spec }) {
    defaultPodSpec(spec);
    defaultPodOnlyFields(spec);
    if (spec.schedulingGates?.length === 0) delete spec.schedulingGates;
  },
  prepareForCreate(pod, { nowMs }) {
    const status: PodStatus = { phase: 'Pending', qosClass: qosClassOf(pod.spec) };
    if (pod.spec.schedulingGates?.length) {
      status.conditions = [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
          lastTransitionTime: formatTime(nowMs),
        },
      ];
    }
    pod.status = status;
  },
  validate(pod, old) {
    if (old !== undefined) return podUpdateErrors(pod.spec, old.spec);
    const errors = podSpecErrors(pod.spec, 'spec');
    if (pod.spec.ephemeralContainers?.length) {
      errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
    }
    return errors;
  },
  /** An unscheduled or finished pod needs no grace period. */
  gracePeriodSeconds({ spec, status }, requested) {
    if (!spec.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0;
    const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 0;
    return seconds < 0 ? 1 : seconds;
  },
};

function orNone(value: string | undefined): string {
  return value || '<none>';
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const isTrue = (type: string) => status?.conditions?.some((c) => c.type === type && c.status === 'True') ?? false;
  return `${gates.filter((gate) => isTrue(gate.conditionType)).length}/${gates.length}`;
}

export const PodKind = defineKind(Pods, {
  definition: 'io.k8s.api.core.v1.Pod',
  shortNames: ['po'],
  categories: ['all'],
  hasStatus: true,
  strategy,
  selectableFields: {
    'spec.nodeName': '.spec.nodeName',
    'spec.restartPolicy': '.spec.restartPolicy',
    'spec.schedulerName': '.spec.schedulerName',
    'spec.serviceAccountName': '.spec.serviceAccountName',
    'spec.hostNetwork': '.spec.hostNetwork',
    'status.phase': '.status.phase',
    'status.podIP': '.status.podIP',
    'status.podIPs': '.status.podIPs[*].ip',
    'status.nominatedNodeName': '.status.nominatedNodeName',
  },
  unsetFields: { 'spec.hostNetwork': 'false' },
  columns: [
    text('Ready', (pod) => {
      const { readyContainers, totalContainers } = summarizePod(pod);
      return `${readyContainers}/${totalContainers}`;
    }),
    text('Status', (pod) => summarizePod(pod).status),
    text('Restarts', (pod, nowMs) => formatRestarts(summarizePod(pod), nowMs)),
    AGE,
    wide(text('IP', ({ status }) => orNone(status?.podIPs?.[0]?.ip ?? status?.podIP))),
    wide(text('Node', ({ spec }) => orNone(spec.nodeName))),
    wide(text('Nominated Node', ({ status }) => orNone(status?.nominatedNodeName))),
    wide(text('Readiness Gates', readinessGates)),
  ],
});
