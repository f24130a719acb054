import type { ErrorSubject } from '@fairway/kube/object/api-error';
import { apiVersionOf, type KubeObject } from '@fairway/kube/object/meta';
import type { Entry } from '../store/store.ts';
import type { ResourceDefinition } from './resource.ts';

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

/** What follows from one definition alone; shared by all servers in a process that serve it. */
export class ServedResource {
  readonly definition: ResourceDefinition;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly apiVersion: string;
  /** `plural.group`, of the stored kind. */
  readonly bucket: string;
  readonly verbs: ReadonlySet<string>;
  readonly #converted = new WeakMap<Entry, string>();

  private constructor(definition: ResourceDefinition) {
    this.definition = definition;
    this.group = definition.group;
    this.version = definition.version;
    this.plural = definition.plural;
    this.kind = definition.kind;
    this.listKind = definition.listKind ?? `${definition.kind}List`;
    this.namespaced = definition.namespaced;
    this.apiVersion = apiVersionOf(definition);
    this.bucket = bucketOf(definition.storedAs ?? definition);
    this.verbs = new Set(definition.verbs ?? (definition.review ? ['create'] : ALL_VERBS));
  }

  static readonly #known = new WeakMap<ResourceDefinition, ServedResource>();

  static of(definition: ResourceDefinition): ServedResource {
    let served = ServedResource.#known.get(definition);
    if (served === undefined) {
      served = new ServedResource(definition);
      ServedResource.#known.set(definition, served);
    }
    return served;
  }

  subject(name = ''): ErrorSubject {
    return { group: this.group, resource: this.plural, name };
  }

  keyOf(namespace: string, name: string): string {
    return this.namespaced ? `${namespace}/${name}` : name;
  }

  /** The entry's text in this version. */
  textOf(entry: Entry): string {
    const convert = this.definition.storedAs?.fromStored;
    if (convert === undefined) return entry.text;
    let text = this.#converted.get(entry);
    if (text === undefined) {
      text = canonicalText(convert(entry.copy()));
      this.#converted.set(entry, text);
    }
    return text;
  }

  /** The entry's object in this version: never change it. */
  objectOf(entry: Entry): KubeObject {
    return this.definition.storedAs === undefined ? entry.object() : this.copyOf(entry);
  }

  /** The entry's object in this version, the caller's own. */
  copyOf(entry: Entry): KubeObject {
    const convert = this.definition.storedAs?.fromStored;
    return convert === undefined ? entry.copy() : convert(entry.copy());
  }

  toStored(object: KubeObject): KubeObject {
    return this.definition.storedAs?.toStored(object) ?? object;
  }
}

export function bucketOf(type: { readonly group: string; readonly plural: string }): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

/** JSON that begins with apiVersion, kind and metadata, so that equal objects tend to have equal texts. */
export function canonicalText(object: KubeObject): string {
  const { apiVersion, kind, metadata, ...rest } = object;
  return JSON.stringify({ apiVersion, kind, metadata, ...rest });
}
