import { COUNTED_ANNOTATIONS } from '@fairway/api/admission/counted-requests';
import { FINALIZER, GROUP, VERSION } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import type {
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '@fairway/kube/kinds/generated/types';
import type { OwnIdentity } from '../management/own-identity.ts';

/** Name of the ValidatingWebhookConfiguration and of its first webhook. */
export const WEBHOOK_NAME = `admission.${GROUP}`;
/** Name of the webhook for the operator's catalogue. */
export const CATALOGUE_WEBHOOK_NAME = `catalogue.${GROUP}`;
/** Name of the webhook for one-time annotations. */
export const REQUESTS_WEBHOOK_NAME = `requests.${GROUP}`;

/** The cloud is queried at most twice, with a 5 s timeout each time. */
const TIMEOUT_SECONDS = 15;

export interface WebhookTarget {
  /** The complete URL, including the secret path. */
  readonly url: string;
  /** PEM. */
  readonly caBundle: string;
  readonly identity: OwnIdentity;
}

/**
 * Registers the gateway for changes of the spec of a tenant's object, by any user, and for users other than Fairway's
 * controllers who set or remove the controllers' finalizer. Everything else is exempt: controllers write status,
 * labels, their finalizer, Machines, Secrets and Leases.
 *
 * For two kinds of request, the review may fail without blocking them. The first kind is deletions of Plans, releases
 * and CloudCredentials in use, and changes of Plans and releases, which get warnings or lose patches: a finalizer keeps
 * objects that are in use, and `fairway install` writes Plans and releases while no gateway is running. The second kind is one-time annotations: a
 * mistyped time only harms its author.
 *
 * API servers without `matchConditions` (before 1.28) send all changes, which are allowed if there is nothing to
 * validate.
 */
export function webhookConfiguration({ url, caBundle, identity }: WebhookTarget): ValidatingWebhookConfiguration {
  const rule = { apiGroups: [GROUP], apiVersions: [VERSION], scope: 'Namespaced' };
  const commonFields = {
    clientConfig: { ...clientConfigOf(url), caBundle: Buffer.from(caBundle).toString('base64') },
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds: TIMEOUT_SECONDS,
    admissionReviewVersions: ['v1'],
  };
  const webhook: ValidatingWebhook = {
    ...commonFields,
    name: WEBHOOK_NAME,
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
          `(${finalizerExpression('object')} != ${finalizerExpression('oldObject')} && !(request.userInfo.username in ${JSON.stringify(identity.usernames)}))`,
        ].join(' || '),
      },
    ],
    failurePolicy: 'Fail',
  };
  const catalogueRule = { ...rule, scope: 'Cluster' };
  const catalogue: ValidatingWebhook = {
    ...commonFields,
    name: CATALOGUE_WEBHOOK_NAME,
    rules: [
      { ...catalogueRule, operations: ['DELETE'], resources: [plans.plural, kubernetesReleases.plural] },
      { ...catalogueRule, operations: ['CREATE', 'UPDATE'], resources: [plans.plural, kubernetesReleases.plural] },
      { ...rule, operations: ['DELETE'], resources: [cloudCredentials.plural] },
    ],
    matchConditions: [
      { name: 'concerns-fairway', expression: 'object == null || oldObject == null || object.spec != oldObject.spec' },
    ],
    failurePolicy: 'Ignore',
  };
  const requests: ValidatingWebhook = {
    ...commonFields,
    name: REQUESTS_WEBHOOK_NAME,
    rules: [
      { ...rule, operations: ['UPDATE'], resources: [clusters.plural, nodePools.plural, machines.plural] },
      { ...catalogueRule, operations: ['UPDATE'], resources: [kubernetesReleases.plural] },
    ],
    matchConditions: [
      {
        name: 'concerns-fairway',
        expression: `${JSON.stringify(COUNTED_ANNOTATIONS)}.exists(name, ${annotationExpression('object')} != ${annotationExpression('oldObject')})`,
      },
    ],
    failurePolicy: 'Ignore',
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: WEBHOOK_NAME },
    webhooks: [webhook, catalogue, requests],
  };
}

const HTTPS_PORT = 443;

/**
 * `https://NAME.NAMESPACE.svc:PORT` as a reference to that Service: kube-apiserver resolves the reference without the
 * cluster's DNS, which it rarely uses.
 */
function clientConfigOf(url: string): Pick<WebhookClientConfig, 'url' | 'service'> {
  const { hostname, port, pathname } = new URL(url);
  const [, name, namespace] = /^([a-z0-9-]+)\.([a-z0-9-]+)\.svc$/.exec(hostname) ?? [];
  if (name === undefined || namespace === undefined) return { url };
  // The port is always set, because the server would otherwise add a default and the configurations would differ.
  return { service: { name, namespace, path: servicePath(pathname), port: port === '' ? HTTPS_PORT : Number(port) } };
}

/** The path with its key in hexadecimal: in a reference to a Service, kube-apiserver accepts only lowercase. */
export function servicePath(path: string): string {
  const start = path.lastIndexOf('/') + 1;
  return path.slice(0, start) + Buffer.from(path.slice(start), 'base64url').toString('hex');
}

/** CEL: whether the controllers' finalizer is on an object. */
function finalizerExpression(variable: 'object' | 'oldObject'): string {
  const list = `${variable}.metadata.finalizers`;
  return `(has(${list}) && '${FINALIZER}' in ${list})`;
}

/** CEL: the value of annotation `name`. */
function annotationExpression(variable: 'object' | 'oldObject'): string {
  const all = `${variable}.metadata.annotations`;
  return `(has(${all}) && name in ${all} ? ${all}[name] : '')`;
}
