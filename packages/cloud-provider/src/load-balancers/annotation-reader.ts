import { displayText, MAX_NAME_LENGTH } from './display-text.ts';
import { ServiceRefused } from './service-refused.ts';
import type { Restriction, UnreadAnnotation } from './unread-annotations.ts';

/** A setting of a Service or Ingress that is not applied, reported in an Event. */
export interface Warning {
  /** The CamelCase reason of an Event. */
  readonly reason: string;
  readonly message: string;
}

/** Annotations may be up to 256 KiB long, but an Event must stay readable. */
const MAX_WARNINGS = 8;

interface Bounds {
  readonly min: number;
  readonly max?: number;
}

/** Rules for the annotations of a kind. */
export interface AnnotationRules {
  /** The supported annotations. */
  readonly known: ReadonlySet<string>;
  /** Supported annotations whose invalid values only cause a warning. */
  readonly tuning: ReadonlySet<string>;
  /** Whether an unknown annotation looks like a load balancer setting. */
  readonly isOfKind: (name: string) => boolean;
  readonly restrictionOf: (name: string, value: string) => Restriction | undefined;
}

/**
 * Reads the annotations of one Service, Ingress or Gateway. As in cloud-provider-openstack, booleans are `true` or
 * `false`, numbers are decimal, and an empty value counts as unset. Unlike in cloud-provider-openstack, invalid values
 * are rejected, or reported if the annotation only tunes.
 */
export class AnnotationReader {
  /** Unknown annotations that look like load balancer settings. */
  readonly unread: readonly UnreadAnnotation[];
  readonly #annotations: Readonly<Record<string, string>>;
  readonly #tuning: ReadonlySet<string>;
  readonly #warnings: Warning[] = [];

  constructor(
    annotations: Readonly<Record<string, string>> = {},
    { known, tuning, isOfKind, restrictionOf }: AnnotationRules = NO_RULES,
  ) {
    this.#annotations = annotations;
    this.#tuning = tuning;
    this.unread = Object.entries(annotations)
      .filter(([name]) => !known.has(name) && isOfKind(name))
      .map(([name, value]) => ({ name, value, restriction: restrictionOf(name, value) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name } of this.unread) {
      const message = `annotation ${displayText(name, MAX_NAME_LENGTH)} has no effect here: remove it, or check its spelling`;
      this.warn('UnknownAnnotation', message);
    }
  }

  get warnings(): readonly Warning[] {
    const omitted = this.#warnings.length - MAX_WARNINGS;
    if (omitted <= 0) return this.#warnings;
    const more = { reason: 'MoreWarnings', message: `and ${omitted} more warnings` };
    return [...this.#warnings.slice(0, MAX_WARNINGS), more];
  }

  warn(reason: string, message: string): void {
    this.#warnings.push({ reason, message });
  }

  /** Undefined if the annotation is absent or empty. */
  text(name: string): string | undefined {
    return this.#annotations[name]?.trim() || undefined;
  }

  /** Whether the annotation is present, even if empty. */
  has(name: string): boolean {
    return Object.hasOwn(this.#annotations, name);
  }

  /** Rejects surrounding whitespace too, because other readers of the annotation do not trim it. */
  flag(name: string): boolean | undefined {
    const text = this.#annotations[name];
    if (!text || text === 'true' || text === 'false') return text ? text === 'true' : undefined;
    this.warnInvalid(name, text, 'true or false');
    return undefined;
  }

  integer(name: string, { min, max = Number.MAX_SAFE_INTEGER }: Bounds): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
    this.warnInvalid(name, text, `a whole number, ${range}`);
    return undefined;
  }

  oneOf<const V extends string>(name: string, values: readonly V[]): V | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const found = values.find((value) => value === text);
    if (found === undefined) this.warnInvalid(name, text, values.join(', '));
    return found;
  }

  /** Throws ServiceRefused, or warns if the annotation only tunes. `expectedFormat` describes the allowed values. */
  warnInvalid(name: string, value: string, expectedFormat: string): void {
    const requirement = `it must be ${expectedFormat}`;
    if (!this.#tuning.has(name))
      throw new ServiceRefused(`annotation ${name}: "${displayText(value)}" is invalid: ${requirement}`);
    this.warn('InvalidAnnotation', `annotation ${name}: "${displayText(value)}" has no effect: ${requirement}`);
  }
}

const EMPTY_SET: ReadonlySet<string> = new Set();
const NO_RULES: AnnotationRules = {
  known: EMPTY_SET,
  tuning: EMPTY_SET,
  isOfKind: () => false,
  restrictionOf: () => undefined,
};
