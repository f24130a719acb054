import type { ResourceDefinition } from './resource.ts';
import { ServedResource } from './served-resource.ts';

type Table = ReadonlyMap<string, ServedResource>;

const tables = new WeakMap<readonly ResourceDefinition[], Table>();

/** The served kinds: a table shared by servers created from the same list, and the server's own changes to it. */
export class Registry {
  readonly #baseDefinitions: readonly ResourceDefinition[];
  readonly #base: Table;
  /** Undefined hides an entry of the base table. */
  readonly #overlay = new Map<string, ServedResource | undefined>();
  readonly #listeners = new Set<() => void>();
  #definitions: readonly ResourceDefinition[] | undefined;

  constructor(definitions: readonly ResourceDefinition[]) {
    this.#baseDefinitions = definitions;
    let table = tables.get(definitions);
    if (table === undefined) {
      table = new Map(definitions.map((definition) => [keyOf(definition), ServedResource.of(definition)]));
      tables.set(definitions, table);
    }
    this.#base = table;
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    const key = keyOf({ group, version, plural });
    return this.#overlay.has(key) ? this.#overlay.get(key) : this.#base.get(key);
  }

  /** The resource for a kind. */
  ofKind(apiVersion: string, kind: string): ServedResource | undefined {
    return this.all().find((one) => one.kind === kind && one.apiVersion === apiVersion && one.verbs.has('get'));
  }

  /** In order of registration. */
  all(): ServedResource[] {
    const all: ServedResource[] = [];
    for (const [key, served] of this.#base) if (!this.#overlay.has(key)) all.push(served);
    for (const served of this.#overlay.values()) if (served !== undefined) all.push(served);
    return all;
  }

  /** Returns the same array as long as nothing changes, and for all unchanged servers. */
  get definitions(): readonly ResourceDefinition[] {
    if (this.#overlay.size === 0) return this.#baseDefinitions;
    this.#definitions ??= this.all().map(({ definition }) => definition);
    return this.#definitions;
  }

  /** The shared table if the kinds match it, in which case documents are shared; otherwise undefined. */
  get shared(): object | undefined {
    return this.#overlay.size === 0 ? this.#base : undefined;
  }

  register(definition: ResourceDefinition): void {
    this.#overlay.set(keyOf(definition), ServedResource.of(definition));
    this.#changed();
  }

  /** Stops serving all versions of the resource. */
  unregister(group: string, plural: string): void {
    this.replace(group, plural, []);
  }

  /** Serves these definitions of the resource, and no other versions of it. */
  replace(group: string, plural: string, definitions: readonly ResourceDefinition[]): void {
    const desiredKeys = new Set(definitions.map(keyOf));
    for (const served of this.all()) {
      if (served.group === group && served.plural === plural && !desiredKeys.has(keyOf(served))) this.#hide(served);
    }
    for (const definition of definitions) this.#overlay.set(keyOf(definition), ServedResource.of(definition));
    this.#changed();
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #hide(served: ServedResource): void {
    const key = keyOf(served);
    if (this.#base.has(key)) this.#overlay.set(key, undefined);
    else this.#overlay.delete(key);
  }

  #changed(): void {
    this.#definitions = undefined;
    for (const listener of this.#listeners) listener();
  }
}

function keyOf(type: { readonly group: string; readonly version: string; readonly plural: string }): string {
  return `${type.group}/${type.version}/${type.plural}`;
}
