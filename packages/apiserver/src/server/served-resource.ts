import type { ErrorSubject } from '@fairway/kube/object/api-error';
import { apiVersionOf, type KubeObject } from '@fairway/kube/object/meta';
import type { Converter } from '../crd/converter.ts';
import { Entry } from '../store/store.ts';
import type { ResourceDefinition } from './resource.ts';
import { StoredDefaults } from './stored-defaults.ts';

let generations = 0;

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

/** Data derived from one definition, shared by all servers in a process that serve it. */
export class ServedResource {
  readonly definition: ResourceDefinition;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly apiVersion: string;
  /** Equal for versions with the same output for a stored object. */
  readonly id: string;
  /** `plural.group`, of the stored kind. */
  readonly bucket: string;
  readonly verbs: ReadonlySet<string>;
  readonly #converted = new WeakMap<Entry, string>();
  readonly #defaults: StoredDefaults | undefined;

  private constructor(definition: ResourceDefinition) {
    this.definition = definition;
    this.group = definition.group;
    this.version = definition.version;
    this.plural = definition.plural;
    this.kind = definition.kind;
    this.listKind = definition.listKind ?? `${definition.kind}List`;
    this.namespaced = definition.namespaced;
    this.apiVersion = apiVersionOf(definition);
    this.#defaults = definition.storedDefaults && new StoredDefaults(definition.storedDefaults);
    this.id = this.#defaults === undefined ? this.apiVersion : `${this.apiVersion} ${++generations}`;
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

  /** Converts entries that need a webhook. Undefined if nothing needs to be awaited. */
  prepare(entries: readonly Entry[]): Promise<void> | undefined {
    const convert = this.definition.storedAs?.convert;
    if (convert === undefined) return undefined;
    const left = entries.filter((entry) => !this.#converted.has(entry));
    return left.length === 0 ? undefined : this.#prepare(left, convert);
  }

  /** An entry that already has the object in this version. */
  entryOf(key: string, object: KubeObject): Entry {
    const entry = new Entry(key, 0, canonicalText(object));
    this.#converted.set(entry, entry.text);
    return entry;
  }

  /** The stored form of an object of this version; a promise if a webhook must convert it. */
  toStored(object: KubeObject): KubeObject | Promise<KubeObject> {
    const { storedAs } = this.definition;
    const { convert, apiVersion = '' } = storedAs ?? {};
    if (convert === undefined) return storedAs?.toStored(object) ?? object;
    return apiVersion === object.apiVersion ? object : convertOne(convert, object, apiVersion);
  }

  /** The stored object in this version; the caller owns it. */
  fromStored(object: KubeObject): KubeObject | Promise<KubeObject> {
    const { storedAs } = this.definition;
    if (storedAs?.convert === undefined) return storedAs?.fromStored(object) ?? object;
    return object.apiVersion === this.apiVersion ? object : convertOne(storedAs.convert, object, this.apiVersion);
  }

  async #prepare(entries: readonly Entry[], convert: Converter): Promise<void> {
    const isOther = (entry: Entry) => entry.object().apiVersion !== this.apiVersion;
    for (const entry of entries) if (!isOther(entry)) this.#converted.set(entry, this.#stored(entry).text);
    const others = entries.filter(isOther);
    if (others.length === 0) return;
    const objects = await convert(
      others.map((entry) => this.#stored(entry).copy()),
      this.apiVersion,
    );
    for (const [index, entry] of others.entries()) {
      this.#converted.set(entry, canonicalText(objects[index] as KubeObject));
    }
  }

  /** The entry with current defaults. */
  #stored(entry: Entry): Entry {
    return this.#defaults?.of(entry) ?? entry;
  }

  lacksDefaults(entry: Entry): boolean {
    return this.#stored(entry) !== entry;
  }

  #prepared(entry: Entry): string {
    const text = this.#converted.get(entry);
    if (text === undefined) throw new Error(`${this.plural} ${entry.key} has not been converted to ${this.apiVersion}`);
    return text;
  }

  /** Approximate length of the entry's text in this version. */
  charsOf(entry: Entry): number {
    return this.#stored(entry).text.length;
  }

  /** The entry's text in this version. */
  textOf(entry: Entry): string {
    if (this.definition.storedAs?.convert !== undefined) return this.#prepared(entry);
    const convert = this.definition.storedAs?.fromStored;
    if (convert === undefined) return this.#stored(entry).text;
    let text = this.#converted.get(entry);
    if (text === undefined) {
      text = canonicalText(convert(this.#stored(entry).copy()));
      this.#converted.set(entry, text);
    }
    return text;
  }

  /** The entry's object in this version: never change it. */
  objectOf(entry: Entry): KubeObject {
    return this.definition.storedAs === undefined ? this.#stored(entry).object() : this.copyOf(entry);
  }

  /** The entry's object in this version; the caller owns it. */
  copyOf(entry: Entry): KubeObject {
    if (this.definition.storedAs?.convert !== undefined) return JSON.parse(this.#prepared(entry)) as KubeObject;
    const convert = this.definition.storedAs?.fromStored;
    const object = this.#stored(entry).copy();
    return convert === undefined ? object : convert(object);
  }
}

async function convertOne(convert: Converter, object: KubeObject, apiVersion: string): Promise<KubeObject> {
  const [converted] = await convert([object], apiVersion);
  return converted as KubeObject;
}

export function bucketOf(type: { readonly group: string; readonly plural: string }): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

/** JSON that begins with apiVersion, kind and metadata: equal objects then tend to serialize to equal strings. */
export function canonicalText(object: KubeObject): string {
  const { apiVersion, kind, metadata, ...rest } = object;
  return JSON.stringify({ apiVersion, kind, metadata, ...rest });
}
