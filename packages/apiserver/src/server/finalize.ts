import type { Core } from './core.ts';
import { decodeObject } from './decode.ts';
import { specFinalizers } from './namespace-rules.ts';
import type { ApiResponse, ResourceRequest } from './request.ts';
import { updateObject } from './update.ts';

/**
 * `namespaces/NAME/finalize`: writes only `spec.finalizers`. A terminating namespace is deleted when the last finalizer
 * is removed.
 */
export function finalizeNamespace(core: Core, request: ResourceRequest): Promise<ApiResponse> {
  return updateObject(core, request, (current) => {
    const requested = decodeObject(request);
    const object = request.resource.copyOf(current) as ReturnType<typeof request.resource.copyOf> & { spec?: object };
    object.spec = { ...object.spec, finalizers: specFinalizers(requested) };
    const { uid, resourceVersion } = requested.metadata;
    if (uid !== undefined) object.metadata.uid = uid;
    if (resourceVersion === undefined) delete object.metadata.resourceVersion;
    else object.metadata.resourceVersion = resourceVersion;
    return object;
  });
}
