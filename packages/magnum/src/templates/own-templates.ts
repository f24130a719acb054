import { GROUP } from '@fairway/api/group';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { replaceNotFound } from '../http/api-errors.ts';
import { invalidInput, MagnumError, templateNotFound } from '../http/magnum-error.ts';
import { type Template, TemplateBody } from './template.ts';

/** Label of the ConfigMap of a tenant's own template: `private`, or `public` for all projects. */
const TEMPLATE_LABEL = `${GROUP}/magnum-template`;
const KEY = 'template';
const USER_ANNOTATION = `${GROUP}/magnum-user`;
const UPDATED_ANNOTATION = `${GROUP}/magnum-updated`;

/** Maximum number of templates per project. */
export const MAX_TEMPLATES = 64;
const MAX_TEMPLATE_CHARS = 16 * 1024;

/**
 * Tenants' own templates. Each is a ConfigMap in the tenant's namespace, whose UID is the template's. Fairway writes
 * them with its own identity, because members have no permissions on ConfigMaps. Users who may create clusters may
 * manage templates, which is checked first.
 */
export class OwnTemplates {
  readonly #client: KubeClient;
  readonly #projectOf: (namespace: string) => string | undefined;
  readonly #random: () => number;

  constructor(client: KubeClient, projectOf: (namespace: string) => string | undefined, random: () => number) {
    this.#client = client;
    this.#projectOf = projectOf;
    this.#random = random;
  }

  /** Templates in the namespace, and public templates in other namespaces. */
  async list(namespace: string): Promise<readonly Template[]> {
    const configMaps = this.#client.resource(ConfigMaps);
    const [own, published] = await Promise.all([
      configMaps.list({ namespace, labelSelector: TEMPLATE_LABEL }),
      configMaps.list({ labelSelector: `${TEMPLATE_LABEL}=public` }),
    ]);
    const publishedElsewhere = published.items.filter(({ metadata }) => metadata.namespace !== namespace);
    return [...own.items, ...publishedElsewhere].flatMap((item) => this.#templateOf(item));
  }

  /**
   * Creates a template. The API server arbitrates between concurrent writers in all replicas: a project has as many
   * names as it may have templates, and each template takes one. Templates from earlier releases also count; they
   * have different names.
   */
  async create(namespace: string, fields: TemplateBody, userId: string): Promise<Template> {
    const configMaps = this.#client.resource(ConfigMaps);
    const data = { [KEY]: serialize(fields) };
    const attemptedNames = new Set<string>();
    for (;;) {
      const { items } = await configMaps.list({ namespace, labelSelector: TEMPLATE_LABEL });
      const name = freeName(items, attemptedNames, this.#random);
      if (name === undefined) {
        throw new MagnumError(
          403,
          `Resource limit exceeded: You have reached the maximum cluster templates per project, ${MAX_TEMPLATES}.`,
        );
      }
      const labels = { [TEMPLATE_LABEL]: visibility(fields) };
      const metadata = { name, namespace, labels, annotations: { [USER_ANNOTATION]: userId } };
      try {
        const [template] = this.#templateOf(await configMaps.create({ metadata, data }));
        if (template === undefined) throw new Error('could not parse a stored template');
        return template;
      } catch (error) {
        // The name was taken in the meantime, or belongs to an object that is not a template.
        if (!isApiError(error, 'AlreadyExists')) throw error;
        attemptedNames.add(name);
      }
    }
  }

  /** Throws 409 if the template has been changed since it was read, 404 if it has been deleted. */
  async replace(template: Template, fields: TemplateBody, now: string): Promise<Template> {
    const { name = '', namespace = '', resourceVersion } = template.configMap ?? {};
    const value = {
      metadata: {
        resourceVersion,
        labels: { [TEMPLATE_LABEL]: visibility(fields) },
        annotations: { [UPDATED_ANNOTATION]: now },
      },
      data: { [KEY]: serialize(fields) },
    };
    const changed = await this.#client
      .resource(ConfigMaps)
      .patch(name, { type: 'merge', value }, { namespace })
      .catch((error: unknown) => {
        throw replaceNotFound(error, templateNotFound(template.uuid));
      });
    return this.#templateOf(changed)[0] ?? template;
  }

  async delete(template: Template): Promise<void> {
    const { name = '', namespace = '', uid = '' } = template.configMap ?? {};
    await ignoreDeleted(this.#client.resource(ConfigMaps).delete(name, { namespace, uid }));
  }

  /** Empty for a template that cannot be parsed. */
  #templateOf({ metadata, data }: ConfigMap): Template[] {
    const fields = TemplateBody.safeParse(parsed(data?.[KEY] ?? '')).data;
    if (fields === undefined) return [];
    const { uid = '', namespace = '', annotations, creationTimestamp = '' } = metadata;
    const isPublic = metadata.labels?.[TEMPLATE_LABEL] === 'public';
    return [
      {
        uuid: uid,
        name: fields.name ?? uid,
        fields: { ...fields, public: isPublic },
        offer: undefined,
        configMap: metadata,
        projectId: this.#projectOf(namespace) ?? '',
        userId: annotations?.[USER_ANNOTATION] ?? '',
        createdAt: creationTimestamp,
        updatedAt: annotations?.[UPDATED_ANNOTATION],
      },
    ];
  }
}

/** A free name; undefined if the project has reached its limit. Random, so that concurrent writers rarely collide. */
function freeName(
  templates: readonly ConfigMap[],
  attemptedNames: ReadonlySet<string>,
  random: () => number,
): string | undefined {
  const names = Array.from({ length: MAX_TEMPLATES }, (_, index) => `magnum-template-${index}`);
  const takenNames = new Set(templates.map(({ metadata }) => metadata.name ?? ''));
  const legacyCount = [...takenNames].filter((name) => !names.includes(name)).length;
  const freeNames = names
    .slice(0, MAX_TEMPLATES - legacyCount)
    .filter((name) => !takenNames.has(name) && !attemptedNames.has(name));
  return freeNames[Math.floor(random() * freeNames.length)];
}

function visibility({ public: isPublic }: TemplateBody): 'public' | 'private' {
  return isPublic ? 'public' : 'private';
}

function serialize(fields: TemplateBody): string {
  const text = JSON.stringify(fields);
  if (text.length > MAX_TEMPLATE_CHARS) {
    throw invalidInput(
      `the cluster template has ${text.length} characters; the limit is ${MAX_TEMPLATE_CHARS}: use fewer or shorter labels`,
    );
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
