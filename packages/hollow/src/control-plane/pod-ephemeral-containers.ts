import { ephemeralContainersErrors } from '@fairway/apiserver/kinds/pod/ephemeral-containers';
import { defaultPodSpec } from '@fairway/apiserver/kinds/pod/pod-defaults';
import type { CustomSubresource } from '@fairway/apiserver/server/resource';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { invalid } from '@fairway/kube/object/field-error';
import { cloneJson } from '@fairway/kube/object/json';

/** `pods/ephemeralcontainers`, which `kubectl debug` patches. The rest of the body is ignored. */
export const podEphemeralContainers: CustomSubresource = {
  kind: { group: '', version: 'v1', kind: 'Pod' },
  schema: { $ref: 'io.k8s.api.core.v1.Pod' },
  get: ({ parent }) => Promise.resolve(parent),
  async update(request) {
    const { body, parent, name } = request;
    const before = parent as Pod;
    const { metadata, spec } = body as Pod;
    const newSpec = cloneJson(before.spec);
    if (spec.ephemeralContainers === undefined) delete newSpec.ephemeralContainers;
    else newSpec.ephemeralContainers = spec.ephemeralContainers;
    defaultPodSpec(newSpec);
    const errors = ephemeralContainersErrors(newSpec, before.spec);
    if (errors.length > 0) throw invalid({ group: '', kind: 'Pod' }, name, errors);
    const { resourceVersion } = metadata;
    const pinned = { ...before.metadata, ...(resourceVersion && { resourceVersion }) };
    const after: Pod = { ...before, metadata: pinned, spec: newSpec };
    return request.replace(after);
  },
};
