import { KINDS } from '@fairway/api/kinds/all';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { resourceDefinition } from '@fairway/api/server/resource-definitions';
import type { AdmissionPlugin } from '@fairway/apiserver/server/admission';
import { type ApiResponse, jsonResponse } from '@fairway/apiserver/server/request';
import type { ResourceDefinition } from '@fairway/apiserver/server/resource';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ApiError } from '@fairway/kube/object/api-error';
import { invalid } from '@fairway/kube/object/field-error';
import { z } from 'zod';
import type { GatewayMetrics, ReviewOutcome } from '../management/gateway-metrics.ts';
import { parseReview, type ReviewRequest, reviewResponse } from './admission-review.ts';

export interface AdmissionWebhookOptions {
  readonly admission: AdmissionPlugin;
  readonly client: KubeClient;
  readonly metrics: GatewayMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

const DEFINITIONS: ReadonlyMap<string, ResourceDefinition> = new Map(
  KINDS.map((kind) => [`${kind.group}/${kind.plural}`, resourceDefinition(kind)]),
);
const Scale = z.looseObject({ spec: z.looseObject({ replicas: z.int().default(0) }) });

/**
 * Responds to an AdmissionReview from kube-apiserver. Applies the same validation beyond the schema as the embedded
 * server.
 */
export function admissionWebhook({
  admission,
  client,
  metrics,
  clock,
  log,
}: AdmissionWebhookOptions): (body: string) => Promise<ApiResponse> {
  return async (body) => {
    const review = parseReview(body);
    const warnings: string[] = [];
    const beganMs = clock.now();
    const end = (outcome: ReviewOutcome) => metrics.observeReview(review.resource, outcome, clock.now() - beganMs);
    try {
      await admit(review, (text) => warnings.push(text));
      end('allowed');
      return jsonResponse(200, reviewResponse(review.uid, { warnings }));
    } catch (error) {
      const refusal = refusalOf(error);
      end(refusal.code < 500 ? 'refused' : 'failed');
      return jsonResponse(200, reviewResponse(review.uid, { warnings, refusal }));
    }
  };

  async function admit(review: ReviewRequest, warn: (text: string) => void): Promise<void> {
    const resource = DEFINITIONS.get(`${review.group}/${review.resource}`);
    if (resource === undefined) return;
    const objects = review.subresource === 'scale' ? await scaled(review) : review;
    const { user, operation, subresource, namespace, dryRun } = review;
    const { object, oldObject } = objects;
    // Only the object contains a generated name.
    const name = review.name || (object?.metadata.name ?? '');
    // Applies the CRDs' CEL rules, in case the installed CRDs are from an older release.
    const errors = (object && resource.strategy?.validate?.(object, oldObject)) ?? [];
    if (errors.length > 0) throw invalid(resource, name, errors);
    const request = { user, operation, resource, subresource, namespace, name, dryRun, object, oldObject, warn };
    await admission.validate?.(request);
  }

  /** kube-apiserver sends only the Scale, so the resulting pool is validated. */
  async function scaled({
    name,
    namespace,
    object,
  }: ReviewRequest): Promise<Pick<ReviewRequest, 'object' | 'oldObject'>> {
    const { replicas } = Scale.parse(object).spec;
    const pool: NodePool = await client.resource(nodePools).get(name, { namespace });
    const changed: NodePool = { ...pool, spec: { ...pool.spec, replicas } };
    return { object: changed, oldObject: pool };
  }

  function refusalOf(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    log.error({ err: error }, 'failed to review an admission request');
    const message = `Internal error occurred: Fairway could not review the request: ${error instanceof Error ? error.message : String(error)}`;
    return new ApiError(500, 'InternalError', message, { cause: error });
  }
}
