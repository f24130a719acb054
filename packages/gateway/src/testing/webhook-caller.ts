import { randomUUID } from 'node:crypto';
import type { AdmissionPlugin, AdmissionRequest } from '@fairway/apiserver/server/admission';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { RuleWithOperations, ValidatingWebhook } from '@fairway/kube/kinds/generated/types';
import { ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { ApiError, type Status } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';

interface ReviewResponse {
  readonly response: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly status?: Partial<Status>;
    readonly warnings?: readonly string[];
  };
}

/**
 * Does for an embedded server what kube-apiserver does itself: calls the registered validating webhooks over TLS, as
 * their stored configuration specifies. Like releases before 1.28, it does not evaluate matchConditions.
 */
export function webhookCaller(client: () => KubeClient): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    async validate(request) {
      if (request.resource.group === 'admissionregistration.k8s.io') return;
      const { items } = await client().resource(ValidatingWebhookConfigurations).list();
      for (const webhook of items.flatMap(({ webhooks = [] }) => webhooks)) {
        if (webhook.rules?.some((rule) => matchesRules(rule, request))) await callWebhook(webhook, request);
      }
    },
  };
}

function matchesRules(rule: RuleWithOperations, { resource, subresource, operation }: AdmissionRequest): boolean {
  const name = subresource === '' ? resource.plural : `${resource.plural}/${subresource}`;
  return (
    (rule.apiGroups ?? []).includes(resource.group) &&
    (rule.apiVersions ?? []).includes(resource.version) &&
    (rule.resources ?? []).includes(name) &&
    (rule.operations ?? []).includes(operation)
  );
}

async function callWebhook({ name, clientConfig }: ValidatingWebhook, request: AdmissionRequest): Promise<void> {
  const { origin, pathname } = new URL(clientConfig.url ?? '');
  const certificateAuthority = Buffer.from(clientConfig.caBundle ?? '', 'base64').toString();
  const transport = new HttpsTransport({ server: origin, certificateAuthority });
  try {
    const body = JSON.stringify(reviewOf(request));
    const headers = { 'content-type': 'application/json' };
    const rawResponse = await transport.request({ method: 'POST', path: pathname, headers, body });
    const text = await rawResponse.text();
    if (rawResponse.status !== 200)
      throw new ApiError(500, 'InternalError', `failed calling webhook "${name}": ${text}`);
    const { allowed, status = {}, warnings = [] } = (JSON.parse(text) as ReviewResponse).response;
    for (const warning of warnings) request.warn(warning);
    if (allowed) return;
    const message = `admission webhook "${name}" denied the request: ${status.message}`;
    throw ApiError.fromStatus({ ...status, message }, 403);
  } finally {
    transport.close();
  }
}

function reviewOf(request: AdmissionRequest): object {
  const { resource, subresource, namespace, name, operation, user, dryRun, object, oldObject } = request;
  const isScale = subresource === 'scale';
  const shown = (one: KubeObject | undefined) => (isScale && one ? scaleOf(one) : (one ?? null));
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: randomUUID(),
      resource: { group: resource.group, version: resource.version, resource: resource.plural },
      ...(subresource !== '' && { subResource: subresource }),
      name,
      namespace,
      operation,
      userInfo: user,
      object: shown(object),
      oldObject: shown(oldObject),
      dryRun,
    },
  };
}

function scaleOf({ metadata, ...object }: KubeObject): object {
  const { replicas } = (object as { spec?: { replicas?: number } }).spec ?? {};
  return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas } };
}
