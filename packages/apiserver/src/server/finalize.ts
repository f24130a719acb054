import type { Core } from './core.ts';
import { decodeObject } from './decode.ts';
import { specFinalizers } from './namespace-rules.ts';
import type { Answer, ResourceRequest } from './request.ts';
import { updateObject } from './update.ts';

/** `namespaces/NAME/finalize`: writes only `spec.finalizers`; a terminating namespace is deleted with the last one. */
export function finalizeNamespace(core: Core, request: ResourceRequest): Promise<Answer> {
  return updateObject(core, request, (current) => {
    const wanted = decodeObject(request);
    const object = request.resource.copyOf(current) as ReturnType<typeof request.resource.copyOf> & { spec?: object };
    object.spec = { ...object.spec, finalizers: specFinalizers(wanted) };
    const { uid, resourceVersion } = wanted.metadata;
    if (uid !== undefined) object.metadata.uid = uid;
    if (resourceVersion === undefined) delete object.metadata.resourceVersion;
    else object.metadata.resourceVersion = resourceVersion;
    return object;
  });
}
