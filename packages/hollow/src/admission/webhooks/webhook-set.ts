import type { AdmissionRequest, WriteInProgress } from '@fairway/apiserver/server/admission';
import type { ServedResource } from '@fairway/apiserver/server/served-resource';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '@fairway/kube/kinds/generated/types';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { compileLabelSelector, type LabelMatcher, type LabelSelector } from '@fairway/kube/object/selector';
import { matchesRule } from '../policy-match.ts';
import { MatchConditions } from './match-conditions.ts';

/** A compiled webhook from a configuration. */
export interface Webhook {
  readonly configuration: string;
  /** Unique among all webhooks of its kind, even if several have the same name. */
  readonly id: string;
  /** Position in the call order of all webhooks of its kind. */
  readonly index: number;
  readonly hook: MutatingWebhook & ValidatingWebhook;
  readonly conditions: MatchConditions;
  /** Undefined if everything matches. */
  readonly namespaces: LabelMatcher | undefined;
  readonly objects: LabelMatcher | undefined;
}

/** A webhook whose rules match a write; `version` is the resource version that they match, if not the client's. */
export interface Match {
  readonly webhook: Webhook;
  readonly version: ServedResource | undefined;
}

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
type Rules = WeakMap<object, Map<string, readonly Match[]>>;

const NO_MATCHES: readonly Match[] = [];
/** These kinds are exempt: they are needed to repair broken admission. */
const EXEMPT_GROUP = 'admissionregistration.k8s.io';

/** The webhooks of all configurations of a kind, compiled once after each change, with cached matches by resource. */
export class WebhookSet {
  readonly #reader: () => ObjectReader;
  readonly #type: ResourceType<Configuration & KubeObject>;
  #revision: number | undefined;
  #webhooks: readonly Webhook[] = [];
  #matches: Rules = new WeakMap();

  constructor(reader: () => ObjectReader, type: ResourceType<Configuration & KubeObject>) {
    this.#reader = reader;
    this.#type = type;
  }

  /** Matches rules only: selectors and conditions need the object. */
  matching(request: AdmissionRequest, write: WriteInProgress): readonly Match[] {
    const { resource, subresource, operation, namespace } = request;
    if (this.#all().length === 0 || resource.group === EXEMPT_GROUP) return NO_MATCHES;
    const key = `${operation} ${namespace === ''} ${subresource}`;
    let known = this.#matches.get(resource);
    if (known === undefined) this.#matches.set(resource, (known = new Map()));
    let matches = known.get(key);
    if (matches === undefined) known.set(key, (matches = this.#find(request, write)));
    return matches;
  }

  #all(): readonly Webhook[] {
    const reader = this.#reader();
    const revision = reader.revisionOf(this.#type);
    if (revision !== this.#revision) {
      this.#webhooks = compile(reader.list(this.#type));
      this.#matches = new WeakMap();
      this.#revision = revision;
    }
    return this.#webhooks;
  }

  #find(request: AdmissionRequest, write: WriteInProgress): readonly Match[] {
    return this.#webhooks.flatMap((webhook): Match[] => {
      const { rules = [], matchPolicy } = webhook.hook;
      if (rules.some((rule) => matchesRule(rule, request))) return [{ webhook, version: undefined }];
      if (matchPolicy === 'Exact') return [];
      const version = write
        .otherVersions()
        .find((other) => rules.some((rule) => matchesRule(rule, { ...about(request), resource: other })));
      return version === undefined ? [] : [{ webhook, version }];
    });
  }
}

function about({ subresource, operation, namespace, name }: AdmissionRequest) {
  return { subresource, operation, namespace, name };
}

function compile(configurations: readonly Configuration[]): readonly Webhook[] {
  const sorted = [...configurations].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const all = sorted.flatMap(({ metadata, webhooks = [] }) => {
    const seen = new Map<string, number>();
    return (webhooks as readonly (MutatingWebhook & ValidatingWebhook)[]).map((hook) => {
      const count = seen.get(hook.name) ?? 0;
      seen.set(hook.name, count + 1);
      return {
        configuration: metadata.name ?? '',
        id: `${metadata.name}/${hook.name}/${count}`,
        hook,
        conditions: new MatchConditions(hook.matchConditions ?? [], hook.failurePolicy),
        namespaces: matcherOf(hook.namespaceSelector),
        objects: matcherOf(hook.objectSelector),
      };
    });
  });
  return all.map((webhook, index) => ({ ...webhook, index }));
}

function matcherOf(selector: LabelSelector | undefined): LabelMatcher | undefined {
  const isEmpty = Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions?.length ?? 0) === 0;
  return isEmpty ? undefined : compileLabelSelector(selector);
}
