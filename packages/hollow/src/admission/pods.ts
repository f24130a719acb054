import type { AdmissionPlugin } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { PriorityClass, Toleration } from '@fairway/kube/kinds/generated/types';
import { Nodes, Pods, PriorityClasses } from '@fairway/kube/kinds/resources';
import { forbidden } from '@fairway/kube/object/api-error';
import { created, writtenObject } from './plugin.ts';

const UNAVAILABLE_TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const TOLERATION_SECONDS = 300;

/** Pods tolerate a not-ready or unreachable node for five minutes, unless they set their own toleration. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate(request) {
    const pod = writtenObject(request, Pods);
    if (pod === undefined) return;
    const tolerations = pod.spec.tolerations ?? [];
    const missing = UNAVAILABLE_TAINTS.filter(
      (key) => !tolerations.some((toleration) => coversNoExecute(toleration, key)),
    );
    if (missing.length === 0) return;
    pod.spec.tolerations = [
      ...tolerations,
      ...missing.map((key) => ({
        key,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: TOLERATION_SECONDS,
      })),
    ];
  },
};

function coversNoExecute({ key, effect }: Toleration, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === 'NoExecute');
}

/** Resolves the priority class of a pod (plugin/pkg/admission/priority). */
export function priorityAdmission(reader: () => ObjectReader): AdmissionPlugin {
  return {
    name: 'Priority',
    mutate(request) {
      const pod = created(request, Pods);
      if (pod === undefined) return;
      const { spec } = pod;
      const rejectPod = (detail: string) => forbidden({ resource: 'pods', name: pod.metadata.name ?? '' }, detail);
      const found = spec.priorityClassName
        ? reader().get(PriorityClasses, '', spec.priorityClassName)
        : defaultClass(reader());
      if (spec.priorityClassName && found === undefined) {
        throw rejectPod(`no PriorityClass with name ${spec.priorityClassName} was found`);
      }
      const priority = found?.value ?? 0;
      if (spec.priority !== undefined && spec.priority !== priority) {
        const conflict = `the integer value of priority (${spec.priority}) must not be provided in pod spec`;
        throw rejectPod(
          `${conflict}; priority admission controller computed ${priority} from the given PriorityClass name`,
        );
      }
      const preemption = found?.preemptionPolicy ?? 'PreemptLowerPriority';
      if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemption) {
        const conflict = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec`;
        throw rejectPod(
          `${conflict}; priority admission controller computed ${preemption} from the given PriorityClass name`,
        );
      }
      spec.priority = priority;
      spec.preemptionPolicy = preemption;
      if (found?.metadata.name !== undefined) spec.priorityClassName = found.metadata.name;
    },
  };
}

/** The global default with the lowest value; there should be only one. */
function defaultClass(reader: ObjectReader): PriorityClass | undefined {
  return reader
    .list(PriorityClasses)
    .filter(({ globalDefault }) => globalDefault)
    .sort((left, right) => (left.value ?? 0) - (right.value ?? 0))[0];
}

/** Taints a new node as not ready until the node controller has observed it as ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate(request) {
    const node = created(request, Nodes);
    if (node === undefined) return;
    const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
    const taints = node.spec.taints ?? [];
    if (!taints.some(({ key, effect }) => key === taint.key && effect === taint.effect))
      node.spec.taints = [...taints, taint];
  },
};

/** Forces an image pull, so that a pod cannot use a private image that another pod on the node pulled. */
export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  mutate(request) {
    const pod = writtenObject(request, Pods);
    if (pod === undefined || request.operation !== 'CREATE') return;
    const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
    for (const container of [...initContainers, ...containers, ...ephemeralContainers])
      container.imagePullPolicy = 'Always';
  },
};
