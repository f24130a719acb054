import { applyJsonPatch } from '@fairway/apiserver/patch/json-patch';
import type { AdmissionPlugin, AdmissionRequest, WriteInProgress } from '@fairway/apiserver/server/admission';
import { scaled } from '@fairway/apiserver/server/scale';
import { ServedResource } from '@fairway/apiserver/server/served-resource';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { MutatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { ApiError } from '@fairway/kube/object/api-error';
import { cloneJson, isJsonArray, jsonEqual } from '@fairway/kube/object/json';
import type { Json, KubeObject } from '@fairway/kube/object/meta';
import { objectForWebhook, type ReviewResponse } from './admission-review.ts';
import { Reinvocations } from './reinvocations.ts';
import { callWebhook, internalError, type WebhookCallOptions } from './webhook-call.ts';
import { isSelected } from './webhook-selectors.ts';
import { type Match, WebhookSet } from './webhook-set.ts';

/** Calls mutating webhooks one at a time and applies their patches. */
export function mutatingWebhooks(reader: () => ObjectReader, options: WebhookCallOptions): AdmissionPlugin {
  const webhooks = new WebhookSet(reader, MutatingWebhookConfigurations);
  const reinvocations = new WeakMap<AdmissionRequest, Reinvocations>();

  async function callWebhooks(
    request: AdmissionRequest,
    write: WriteInProgress,
    matches: readonly Match[],
  ): Promise<void> {
    const again = reinvocations.get(request) ?? new Reinvocations();
    reinvocations.set(request, again);
    again.begin(request.object);
    for (const match of matches) {
      const { id, hook, index, configuration } = match.webhook;
      if (!isSelected(match.webhook, request, reader(), options.authorizer) || !again.isDue(id)) continue;
      const response = await callWebhook(options, request, write, match, { type: 'mutating', round: again.round });
      const isChanged = response !== undefined && (await mutationBy(response, request, write, match));
      const key = `mutation.webhook.admission.k8s.io/round_${again.round}_index_${index}`;
      write.annotate(key, JSON.stringify({ configuration, webhook: hook.name, mutated: isChanged }));
      again.recordCall(id, { isChanged, isReinvocable: hook.reinvocationPolicy === 'IfNeeded' });
    }
    again.end(request.object);
  }

  return {
    name: 'MutatingAdmissionWebhook',
    mutate(request) {
      const { write } = request;
      if (write === undefined) return undefined;
      const matches = webhooks.matching(request, write);
      return matches.length === 0 ? undefined : callWebhooks(request, write, matches);
    },
    needsReinvocation: (request) => reinvocations.get(request)?.wantsSecondRound ?? false,
  };
}

/** Whether the webhook's patch changed the object. */
async function mutationBy(
  { patch }: ReviewResponse,
  request: AdmissionRequest,
  write: WriteInProgress,
  { webhook, version }: Match,
): Promise<boolean> {
  if (!patch) return false;
  const operations = operationsOf(patch);
  if (operations.length === 0) return false;
  const { object, resource, subresource } = request;
  if (object === undefined) {
    const name = JSON.stringify(webhook.hook.name);
    throw internalError(
      `admission webhook ${name} attempted to modify the object, which is not supported for this operation`,
    );
  }
  const served = ServedResource.of(resource);
  const as = version ?? served;
  const shown = await objectForWebhook(object, served, as, subresource);
  const patched = applyPatch(shown as unknown as Json, operations) as unknown as KubeObject;
  const before = cloneJson(object);
  write.replaceObject(await withOldFields(patched, object, served, as, subresource));
  return !jsonEqual(before, object);
}

/** Converts the result of `objectForWebhook` back to the written form. */
async function withOldFields(
  patched: KubeObject,
  object: KubeObject,
  served: ServedResource,
  as: ServedResource,
  subresource: string,
): Promise<KubeObject> {
  if (subresource === 'scale' && served.definition.scale) return scaled(served, cloneJson(object), patched);
  if (as === served || patched.kind !== as.kind) return patched;
  return served.fromStored(await as.toStored(patched));
}

function operationsOf(patch: string): readonly unknown[] {
  try {
    const operations: unknown = JSON.parse(Buffer.from(patch, 'base64').toString());
    if (isJsonArray(operations)) return operations;
  } catch {
    // Same error as for JSON that is not a list.
  }
  throw internalError('the patch of the webhook is not a JSON Patch');
}

/** A patch that does not apply is the webhook's error, not the client's. */
function applyPatch(object: Json, operations: readonly unknown[]): Json {
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw internalError(error.causes[0]?.message ?? error.message);
  }
}
