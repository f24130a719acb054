/** Something that a Service or an Ingress asks for and does not get, told in an event. */
export interface Warning {
  /** In CamelCase, as events have it. */
  readonly reason: string;
  readonly message: string;
}

/** A user may write 256 KiB of annotations, and an event is for people. */
const MAX_SHOWN = 60;
const MAX_WARNINGS = 8;

interface Bounds {
  readonly min: number;
  readonly max?: number;
}

/**
 * Reads the annotations of one Service, or Ingress, as cloud-provider-openstack does: booleans are `true` or `false`, numbers are decimal, and what can't be read
 * counts for nothing. Unlike there, a warning says so.
 */
export class AnnotationReader {
  readonly #annotations: Readonly<Record<string, string>>;
  readonly #warnings: Warning[] = [];

  /** `isUnknown`: looks as if it had an effect, and has none. */
  constructor(annotations: Readonly<Record<string, string>> = {}, isUnknown: (name: string) => boolean) {
    this.#annotations = annotations;
    const unknown = Object.keys(annotations).filter(isUnknown).sort();
    for (const name of unknown) {
      this.warn('UnknownAnnotation', `annotation ${shown(name)} is not known and has no effect: check its spelling`);
    }
  }

  get warnings(): readonly Warning[] {
    const hidden = this.#warnings.length - MAX_WARNINGS;
    if (hidden <= 0) return this.#warnings;
    const more = { reason: 'MoreWarnings', message: `and ${hidden} more of this kind` };
    return [...this.#warnings.slice(0, MAX_WARNINGS), more];
  }

  warn(reason: string, message: string): void {
    this.#warnings.push({ reason, message });
  }

  /** Undefined if it is absent or empty. */
  text(name: string): string | undefined {
    return this.#annotations[name]?.trim() || undefined;
  }

  /** Whether it is there, be it empty. */
  has(name: string): boolean {
    return Object.hasOwn(this.#annotations, name);
  }

  flag(name: string): boolean | undefined {
    const text = this.text(name);
    if (text === undefined || text === 'true' || text === 'false')
      return text === undefined ? undefined : text === 'true';
    this.ignored(name, text, 'true or false');
    return undefined;
  }

  integer(name: string, { min, max = Number.MAX_SAFE_INTEGER }: Bounds): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
    this.ignored(name, text, `a whole number, ${range}`);
    return undefined;
  }

  oneOf<const V extends string>(name: string, values: readonly V[]): V | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const found = values.find((value) => value === text);
    if (found === undefined) this.ignored(name, text, values.join(', '));
    return found;
  }

  ignored(name: string, value: string, wanted: string): void {
    const message = `annotation ${name}: "${shown(value)}" has no effect: it must be ${wanted}`;
    this.warn('InvalidAnnotation', message);
  }
}

/** A text of a tenant's as an event shows it. */
export function shown(text: string): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?');
  return clean.length > MAX_SHOWN ? `${clean.slice(0, MAX_SHOWN)}…` : clean;
}
