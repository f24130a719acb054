import type { AdmissionPlugin, AdmissionRequest } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Pod, RuntimeClass } from '@fairway/kube/kinds/generated/types';
import { Pods, RuntimeClasses } from '@fairway/kube/kinds/resources';
import { forbidden } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { created } from './plugin.ts';

/** Sets the overhead and node selection of a pod's RuntimeClass, and rejects a pod whose class does not exist (plugin/pkg/admission/runtimeclass). */
export function runtimeClassAdmission(reader: () => ObjectReader): AdmissionPlugin {
  const classOf = (request: AdmissionRequest, pod: Pod) => {
    const name = pod.spec.runtimeClassName;
    if (name === undefined) return undefined;
    const found = reader().get(RuntimeClasses, '', name);
    if (found === undefined) throw refused(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
    return found;
  };
  return {
    name: 'RuntimeClass',
    mutate(request) {
      const pod = created(request, Pods);
      const runtimeClass = pod && classOf(request, pod);
      if (pod === undefined || runtimeClass === undefined) return;
      setOverhead(request, pod, runtimeClass);
      setScheduling(request, pod, runtimeClass);
    },
    validate(request) {
      const pod = created(request, Pods);
      if (pod === undefined) return;
      const overhead = classOf(request, pod)?.overhead?.podFixed ?? {};
      if (jsonEqual(pod.spec.overhead ?? {}, overhead)) return;
      throw refused(
        request,
        Object.keys(overhead).length > 0
          ? "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
          : 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
      );
    },
  };
}

function setOverhead(request: AdmissionRequest, { spec }: Pod, { overhead }: RuntimeClass): void {
  if (overhead?.podFixed === undefined) return;
  if (Object.keys(spec.overhead ?? {}).length > 0 && !jsonEqual(spec.overhead, overhead.podFixed)) {
    throw refused(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  spec.overhead = { ...overhead.podFixed };
}

function setScheduling(request: AdmissionRequest, { spec }: Pod, { scheduling }: RuntimeClass): void {
  for (const [key, value] of Object.entries(scheduling?.nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key];
    if (own !== undefined && own !== value) {
      const words = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}`;
      throw refused(request, `${words}; pod.spec.nodeSelector[${key}] = ${own}`);
    }
    spec.nodeSelector = { ...spec.nodeSelector, [key]: value };
  }
  const tolerations = spec.tolerations ?? [];
  const missing = (scheduling?.tolerations ?? []).filter(
    (toleration) => !tolerations.some((one) => jsonEqual(one, toleration)),
  );
  if (missing.length > 0) spec.tolerations = [...tolerations, ...missing];
}

function refused({ name }: AdmissionRequest, detail: string) {
  return forbidden({ resource: Pods.plural, name }, detail);
}
