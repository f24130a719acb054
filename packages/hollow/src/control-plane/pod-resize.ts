import { defaultPodOnlyFields, defaultPodSpec } from '@fairway/apiserver/kinds/pod/pod-defaults';
import { resizedSpec, resizeErrors } from '@fairway/apiserver/kinds/pod/resize-validation';
import type { CustomSubresource } from '@fairway/apiserver/server/resource';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { invalid } from '@fairway/kube/object/field-error';

/**
 * `pods/resize`: changes CPU and memory of running containers. Nodes apply the change; the pod's conditions report
 * pending resizes.
 */
export const podResize: CustomSubresource = {
  kind: { group: '', version: 'v1', kind: 'Pod' },
  schema: { $ref: 'io.k8s.api.core.v1.Pod' },
  get: ({ parent }) => Promise.resolve(parent),
  async update(request) {
    const { body, parent, name } = request;
    const before = parent as Pod;
    const { metadata, spec: sent } = body as Pod;
    const spec = resizedSpec(sent, before.spec);
    defaultPodSpec(spec);
    defaultPodOnlyFields(spec);
    const errors = resizeErrors(spec, before);
    if (errors.length > 0) throw invalid({ group: '', kind: 'Pod' }, name, errors);
    const { resourceVersion } = metadata;
    const pinned = { ...before.metadata, ...(resourceVersion && { resourceVersion }) };
    const after: Pod = { ...before, metadata: pinned, spec };
    return request.replace(after);
  },
};
