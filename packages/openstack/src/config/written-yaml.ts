import {
  boolYaml11Tag,
  defineMappingTag,
  FAILSAFE_SCHEMA,
  floatCoreTag,
  intCoreTag,
  load,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
  nullCoreTag,
  type ScalarTagDefinition,
} from 'js-yaml';

/**
 * An unquoted number or boolean. Clients read `project_name: 0987654321098765` as text, and a numeric password
 * must keep its spelling; a numeric setting uses the value.
 */
export class WrittenScalar {
  readonly text: string;
  readonly value: number | boolean;

  constructor(text: string, value: number | boolean) {
    this.text = text;
    this.value = value;
  }
}

function asWritten(
  tag: ScalarTagDefinition<number> | ScalarTagDefinition<boolean>,
): ScalarTagDefinition<WrittenScalar> {
  return {
    ...tag,
    resolve: (source, isExplicit, tagName) => {
      const value = tag.resolve(source, isExplicit, tagName);
      return value === NOT_RESOLVED ? NOT_RESOLVED : new WrittenScalar(source, value);
    },
  };
}

const keyText = (key: unknown): unknown => (key instanceof WrittenScalar ? key.text : key);

/** Supports merge keys (`<<`) and reads dates as text; everything else is as in PyYAML, which OpenStack clients use. */
const SCHEMA = FAILSAFE_SCHEMA.withTags(
  nullCoreTag,
  mergeTag,
  asWritten(boolYaml11Tag),
  asWritten(intCoreTag),
  asWritten(floatCoreTag),
  defineMappingTag(mapTag.tagName, {
    ...mapTag,
    addPair: (carrier, key, value) => mapTag.addPair(carrier, keyText(key), value),
    has: (carrier, key) => mapTag.has(carrier, keyText(key)),
  }),
);

/** Parses YAML or JSON with numbers and booleans as {@link WrittenScalar}s. Throws js-yaml's error. */
export function loadWritten(text: string, filename: string): unknown {
  return load(text, { filename, schema: SCHEMA });
}

/** Parses YAML or JSON with plain numbers and booleans. */
export function valuesOf(written: unknown): unknown {
  if (written instanceof WrittenScalar) return written.value;
  if (Array.isArray(written)) return written.map(valuesOf);
  if (typeof written !== 'object' || written === null) return written;
  return Object.fromEntries(Object.entries(written).map(([key, value]) => [key, valuesOf(value)]));
}
