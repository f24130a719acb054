import type { CustomSubresource } from '@fairway/apiserver/server/resource';
import { formatTime } from '@fairway/base/clock';
import type { Binding, Pod } from '@fairway/kube/kinds/generated/types';
import { badRequest, conflict } from '@fairway/kube/object/api-error';

/** `pods/binding`, used by schedulers. Like assignPod in kube-apiserver's pkg/registry/core/pod/storage. */
export const podBinding: CustomSubresource = {
  kind: { group: '', version: 'v1', kind: 'Binding' },
  schema: { $ref: 'io.k8s.api.core.v1.Binding' },
  // Fields of the Binding that the pod's owner does not control.
  hasGeneration: false,
  async create(request) {
    const { body, parent, name, nowMs, dryRun } = request;
    const binding = body as Binding;
    const pod = parent as Pod;
    const subject = { resource: 'pods/binding', name };
    if (binding.target.kind && binding.target.kind !== 'Node') {
      throw badRequest(`target.kind: Unsupported value: "${binding.target.kind}": supported values: "Node"`);
    }
    if (!binding.target.name) throw badRequest('target.name: Required value');
    const { uid } = binding.metadata;
    if (uid && uid !== pod.metadata.uid) {
      throw conflict(
        subject,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`,
      );
    }
    if (pod.metadata.deletionTimestamp !== undefined) {
      throw conflict(subject, `pod ${name} is being deleted, cannot be assigned to a host`);
    }
    if (pod.spec?.nodeName) throw conflict(subject, `pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
    if (pod.spec?.schedulingGates?.length) {
      throw conflict(subject, `pod ${name} has non-empty .spec.schedulingGates`);
    }
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: formatTime(nowMs) };
    const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
    const bound: Pod = {
      ...pod,
      metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...binding.metadata.annotations } },
      spec: { ...pod.spec, nodeName: binding.target.name },
      status: { ...pod.status, conditions: [...others, scheduled] },
    };
    if (!dryRun) await request.replace(bound);
    const success = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success', code: 201 };
    return success;
  },
};
