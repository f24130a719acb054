import { decodeObject } from './decode.ts';
import { type Answer, jsonAnswer, type ResourceRequest } from './request.ts';
import type { ResourceDefinition } from './resource.ts';
import { contextOf, refuse } from './write.ts';

/** Handles a review kind, which is never stored. */
export async function review(
  request: ResourceRequest,
  answer: NonNullable<ResourceDefinition['review']>,
): Promise<Answer> {
  const object = decodeObject(request);
  const { strategy } = request.resource.definition;
  strategy?.default?.(object);
  refuse(request, '', strategy?.validate?.(object, undefined) ?? []);
  const reviewed = await answer(object, { ...contextOf(request), namespace: request.namespace });
  return jsonAnswer(201, reviewed);
}
