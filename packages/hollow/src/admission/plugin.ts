import type { AdmissionRequest } from '@fairway/apiserver/server/admission';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

/** The object in a request that creates one of `type`; undefined for any other request. */
export function created<T extends KubeObject>(request: AdmissionRequest, type: ResourceType<T>): T | undefined {
  return request.operation === 'CREATE' ? writtenObject(request, type) : undefined;
}

/** The object in a request that creates or updates one of `type`, not one of its subresources. */
export function writtenObject<T extends KubeObject>(request: AdmissionRequest, type: ResourceType<T>): T | undefined {
  const { resource, subresource, object } = request;
  const isType = resource.group === type.group && resource.plural === type.plural && subresource === '';
  return isType ? (object as T | undefined) : undefined;
}
