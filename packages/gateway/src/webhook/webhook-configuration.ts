import { FINALIZER, GROUP, VERSION } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from '@fairway/kube/kinds/generated/types';
import type { OwnIdentity } from '../management/own-identity.ts';

/** Name of the ValidatingWebhookConfiguration and of its only webhook. */
export const WEBHOOK_NAME = `admission.${GROUP}`;

/** The cloud is queried at most twice, with a timeout of 5 s each. */
const TIMEOUT_SECONDS = 15;

export interface WebhookTarget {
  /** Complete, including the secret path. */
  readonly url: string;
  /** PEM. */
  readonly caBundle: string;
  readonly identity: OwnIdentity;
}

/**
 * Registers the gateway for changes of the spec of a tenant's object, by any user, and for anybody but Fairway's
 * controllers who sets or removes their finalizer. Everything else is exempt: controllers write status, labels, their finalizer, Machines,
 * Secrets and Leases, and `fairway install` writes Plans and releases, even while no gateway is up. Releases without
 * `matchConditions` (before 1.28) send all changes, and get them allowed if there is nothing to validate.
 */
export function webhookConfiguration({ url, caBundle, identity }: WebhookTarget): ValidatingWebhookConfiguration {
  const rule = { apiGroups: [GROUP], apiVersions: [VERSION], scope: 'Namespaced' };
  const webhook: ValidatingWebhook = {
    name: WEBHOOK_NAME,
    clientConfig: { url, caBundle: Buffer.from(caBundle).toString('base64') },
    rules: [
      {
        ...rule,
        operations: ['CREATE', 'UPDATE'],
        resources: [clusters.plural, nodePools.plural, cloudCredentials.plural],
      },
      { ...rule, operations: ['UPDATE'], resources: [`${nodePools.plural}/scale`] },
    ],
    matchConditions: [
      {
        name: 'concerns-fairway',
        expression: [
          'oldObject == null',
          '!has(object.spec)',
          '!has(oldObject.spec)',
          'object.spec != oldObject.spec',
          `(${isHeld('object')} != ${isHeld('oldObject')} && !(request.userInfo.username in ${JSON.stringify(identity.usernames)}))`,
        ].join(' || '),
      },
    ],
    matchPolicy: 'Equivalent',
    failurePolicy: 'Fail',
    sideEffects: 'None',
    timeoutSeconds: TIMEOUT_SECONDS,
    admissionReviewVersions: ['v1'],
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: WEBHOOK_NAME },
    webhooks: [webhook],
  };
}

/** CEL: whether the controllers' finalizer is on an object. */
function isHeld(variable: 'object' | 'oldObject'): string {
  const list = `${variable}.metadata.finalizers`;
  return `(has(${list}) && '${FINALIZER}' in ${list})`;
}
