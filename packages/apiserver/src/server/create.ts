import { randomUUID } from 'node:crypto';
import { formatTime } from '@fairway/base/clock';
import { ApiError, alreadyExists, badRequest } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { StaleWriteError } from '../store/store.ts';
import type { AdmissionRequest } from './admission.ts';
import { allErrors, conform, normalize, runHooks, schemaErrors } from './conform.ts';
import type { Core } from './core.ts';
import { decodeToConform } from './decode.ts';
import { generateName } from './generate-name.ts';
import { metadataErrors } from './metadata.ts';
import { ensureNamespace } from './namespace-rules.ts';
import { representationOf } from './negotiation.ts';
import { respondWithObject } from './object-response.ts';
import { track } from './ownership.ts';
import type { ApiResponse, ResourceRequest } from './request.ts';
import { contextOf, decide, mutate, refuse, store, validate } from './write.ts';
import { WriteAdmission } from './write-admission.ts';

/** Upstream's retries when a generated name is taken. */
const NAME_ATTEMPTS = 8;

export async function create(core: Core, request: ResourceRequest): Promise<ApiResponse> {
  const object = decodeToConform(request);
  if (object.metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
  return createObject(core, request, object);
}

/** The part of a create that apply uses as well. */
export async function createObject(core: Core, request: ResourceRequest, decoded: KubeObject): Promise<ApiResponse> {
  const { resource } = request;
  const representation = representationOf(request, 'object');
  if (decoded.metadata.name) request.named?.(decoded.metadata.name);
  const generated = !decoded.metadata.name && decoded.metadata.generateName ? decoded.metadata.generateName : undefined;
  for (let attempt = 1; ; attempt++) {
    const object = generated === undefined || attempt === NAME_ATTEMPTS ? decoded : structuredClone(decoded);
    if (generated !== undefined) {
      object.metadata.name = generateName(generated, core.random);
      request.named?.(object.metadata.name);
    }
    const admission = await prepare(core, request, object);
    const { namespace = '', name = '' } = object.metadata;
    const taken = core.store.get(resource.bucket, resource.keyOf(namespace, name)) !== undefined;
    if (!taken && request.dryRun) {
      decide(core, admission);
      return respondWithObject(request, 201, object);
    }
    try {
      if (taken) throw new StaleWriteError('name is taken');
      const entry = await store(core, request, object, { expected: undefined, admission });
      return respondWithObject(request, 201, entry, representation);
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      if (generated === undefined) throw alreadyExists(resource.subject(name));
      if (attempt < NAME_ATTEMPTS) continue;
      const { message } = alreadyExists(resource.subject(name));
      throw new ApiError(
        409,
        'AlreadyExists',
        `${message}, the server was not able to generate a unique name for the object`,
        {
          subject: resource.subject(name),
          retryAfterSeconds: 1,
        },
      );
    }
  }
}

async function prepare(core: Core, request: ResourceRequest, object: KubeObject): Promise<AdmissionRequest> {
  const { resource } = request;
  const { definition } = resource;
  const { strategy } = definition;
  const admission = new WriteAdmission(core, request, {
    operation: 'CREATE',
    object,
    conform: () => normalize(core, request, object),
  });
  ensureNamespace(core, request, object);
  await runHooks(core, request, object, async () => {
    conform(core, request, object);
    if (definition.hasStatus) delete (object as { status?: unknown }).status;
    assignIdentity(request, object);
    // The writer owns the fields that it sent, not what admission and the kind changed.
    track(core, request, object, undefined);
    await mutate(core, admission);
    strategy?.prepareForCreate?.(object, contextOf(request));
  });
  await runHooks(core, request, object, async () => {
    refuse(request, object.metadata.name ?? '', [
      ...allErrors(
        request,
        metadataErrors(object, resource),
        schemaErrors(core, request, object, undefined),
        strategy?.validate?.(object, undefined) ?? [],
      ),
    ]);
    for (const warning of strategy?.warnings?.(object) ?? []) request.warn(warning);
    await validate(core, admission);
  });
  // The name may have been generated.
  return admission;
}

/** The metadata that the server sets on a new object. */
function assignIdentity({ resource, nowMs }: ResourceRequest, { metadata }: KubeObject): void {
  metadata.uid = randomUUID();
  metadata.creationTimestamp = formatTime(nowMs);
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.resourceVersion;
  delete (metadata as { selfLink?: string }).selfLink;
  if (resource.definition.hasGeneration === false) delete metadata.generation;
  else metadata.generation = 1;
}
