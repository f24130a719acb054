import { GROUP } from '@fairway/api/group';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { goneAs } from '../http/api-error-words.ts';
import { invalidInput, MagnumError, templateNotFound } from '../http/magnum-error.ts';
import { type Template, TemplateBody } from './template.ts';

/** On the ConfigMap of a tenant's own template: `private`, or `public` for all projects. */
const TEMPLATE_LABEL = `${GROUP}/magnum-template`;
const KEY = 'template';
const USER_ANNOTATION = `${GROUP}/magnum-user`;
const UPDATED_ANNOTATION = `${GROUP}/magnum-updated`;

/** Templates of one project. */
export const MAX_TEMPLATES = 64;
const MAX_TEMPLATE_CHARS = 16 * 1024;

/**
 * Tenants' own templates: a ConfigMap of the namespace each, whose UID is the template's. Written with Fairway's own identity, since members have no right
 * to ConfigMaps; who may create clusters may keep templates, which is asked before.
 */
export class OwnTemplates {
  readonly #client: KubeClient;
  readonly #projectOf: (namespace: string) => string | undefined;

  constructor(client: KubeClient, projectOf: (namespace: string) => string | undefined) {
    this.#client = client;
    this.#projectOf = projectOf;
  }

  /** Those of the namespace, and the public ones of others. */
  async list(namespace: string): Promise<readonly Template[]> {
    const configMaps = this.#client.resource(ConfigMaps);
    const [own, published] = await Promise.all([
      configMaps.list({ namespace, labelSelector: TEMPLATE_LABEL }),
      configMaps.list({ labelSelector: `${TEMPLATE_LABEL}=public` }),
    ]);
    const others = published.items.filter(({ metadata }) => metadata.namespace !== namespace);
    return [...own.items, ...others].flatMap((item) => this.#templateOf(item));
  }

  async create(namespace: string, fields: TemplateBody, userId: string): Promise<Template> {
    const configMaps = this.#client.resource(ConfigMaps);
    const { items } = await configMaps.list({ namespace, labelSelector: TEMPLATE_LABEL });
    if (items.length >= MAX_TEMPLATES) {
      throw new MagnumError(
        403,
        `Resource limit exceeded: You have reached the maximum cluster templates per project, ${MAX_TEMPLATES}.`,
      );
    }
    const made = await configMaps.create({
      metadata: {
        generateName: 'magnum-template-',
        namespace,
        labels: { [TEMPLATE_LABEL]: visibility(fields) },
        annotations: { [USER_ANNOTATION]: userId },
      },
      data: { [KEY]: written(fields) },
    });
    const [template] = this.#templateOf(made);
    if (template === undefined) throw new Error('a template could not be read back');
    return template;
  }

  /** Throws 409 if somebody else has changed it since it was read, 404 if it is gone. */
  async replace(template: Template, fields: TemplateBody, now: string): Promise<Template> {
    const { name = '', namespace = '', resourceVersion } = template.configMap ?? {};
    const value = {
      metadata: {
        resourceVersion,
        labels: { [TEMPLATE_LABEL]: visibility(fields) },
        annotations: { [UPDATED_ANNOTATION]: now },
      },
      data: { [KEY]: written(fields) },
    };
    const changed = await this.#client
      .resource(ConfigMaps)
      .patch(name, { type: 'merge', value }, { namespace })
      .catch((error: unknown) => {
        throw goneAs(error, templateNotFound(template.uuid));
      });
    return this.#templateOf(changed)[0] ?? template;
  }

  async delete(template: Template): Promise<void> {
    const { name = '', namespace = '', uid = '' } = template.configMap ?? {};
    await ignoreGone(this.#client.resource(ConfigMaps).delete(name, { namespace, uid }));
  }

  /** None for one that can't be read. */
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

function visibility({ public: isPublic }: TemplateBody): 'public' | 'private' {
  return isPublic ? 'public' : 'private';
}

function written(fields: TemplateBody): string {
  const text = JSON.stringify(fields);
  if (text.length > MAX_TEMPLATE_CHARS) {
    throw invalidInput(
      `the cluster template has ${text.length} characters, the limit is ${MAX_TEMPLATE_CHARS}: give fewer or shorter labels`,
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
