import { type GcfgEntry, type GcfgFile } from '@fairway/openstack/config/gcfg';
import { restrictionOf } from '../../load-balancers/unread-annotations.ts';
import { goDurationMs } from './go-duration.ts';
import { CLOUD_CONF_KEYS } from './keys.ts';

/** Sections that may have a name: `[LoadBalancerClass "fast"]`. */
const NAMED_SECTIONS: ReadonlySet<string> = new Set(['global', 'loadbalancerclass']);

/** The values in a cloud.conf by section and key; collects all errors, in the file's terms. */
export class ConfValues {
  readonly warnings: string[] = [];
  readonly problems: string[] = [];
  readonly #file: GcfgFile;

  constructor(file: GcfgFile) {
    this.#file = file;
    for (const { section, subsection, line } of file.sections) {
      if (subsection !== undefined && !NAMED_SECTIONS.has(section) && section in CLOUD_CONF_KEYS) {
        this.problems.push(`line ${line}: [${section}] takes no name, but has "${subsection}"`);
      }
    }
    for (const entry of file.entries) this.#classify(entry);
  }

  /** Names of the sections of one kind, in order; undefined for a section without a name. */
  sections(section: string): readonly (string | undefined)[] {
    const found = this.#file.sections.filter((each) => each.section === section);
    return [...new Set(found.map(({ subsection }) => subsection))];
  }

  /** All values of a repeatable key; empty values are ignored. */
  list(section: string, key: string, subsection?: string): readonly string[] {
    const found = this.#entries(section, key, subsection);
    return found.flatMap(({ value }) => (value === undefined || value === '' ? [] : [value]));
  }

  /** The last value of a key; undefined if the key is missing or the value is empty. */
  text(section: string, key: string, subsection?: string): string | undefined {
    return this.#entries(section, key, subsection).at(-1)?.value || undefined;
  }

  flag(section: string, key: string, subsection?: string): boolean | undefined {
    const entry = this.#entries(section, key, subsection).at(-1);
    if (entry === undefined) return undefined;
    return booleanOf(entry.value) ?? this.#problem(entry, `"${entry.value}" is neither true nor false`);
  }

  oneOf<T extends string>(section: string, key: string, allowed: readonly T[]): T | undefined {
    const entry = this.#entries(section, key).at(-1);
    if (!entry?.value) return undefined;
    const found = allowed.find((each) => each === entry.value);
    return found ?? this.#problem(entry, `"${entry.value}" must be one of ${allowed.join(', ')}`);
  }

  whole(section: string, key: string, min: number, max: number): number | undefined {
    const entry = this.#entries(section, key).at(-1);
    if (!entry?.value) return undefined;
    const value = Number(entry.value);
    if (/^\d+$/.test(entry.value) && value >= min && value <= max) return value;
    return this.#problem(entry, `"${entry.value}" is not a whole number from ${min} to ${max}`);
  }

  /** Returns milliseconds. */
  duration(section: string, key: string): number | undefined {
    const entry = this.#entries(section, key).at(-1);
    if (!entry?.value) return undefined;
    const ms = goDurationMs(entry.value);
    if (ms !== undefined && ms > 0) return Math.max(Math.round(ms), 1);
    return this.#problem(entry, `"${entry.value}" is not a duration such as 5s, 1m30s or 1h`);
  }

  #entries(section: string, key: string, subsection?: string): readonly GcfgEntry[] {
    return this.#file.entries.filter(
      (each) => each.section === section && each.key === key && each.subsection === subsection,
    );
  }

  #classify(entry: GcfgEntry): void {
    const { section, key, value, line } = entry;
    const treatment = CLOUD_CONF_KEYS[section]?.[key];
    const at = `line ${line}: [${section}] ${key}`;
    if (treatment === undefined && section in CLOUD_CONF_KEYS && restrictionOf(key, value ?? 'true') !== undefined) {
      this.problems.push(
        `${at} is unknown, and ignoring it could lift a restriction: remove it, or check its spelling`,
      );
      return;
    }
    if (treatment === undefined) {
      this.warnings.push(`${at} is unknown and has no effect`);
      return;
    }
    switch (treatment.kind) {
      case 'used':
        return;
      case 'ignored':
        if (isExempt(treatment.exemptValues, value)) return;
        this.warnings.push(`${at} has no effect: ${treatment.cause}`);
        return;
      case 'refused':
        if (isExempt(treatment.exemptValues, value)) return;
        this.problems.push(`${at} = ${value || 'true'} is refused: ${treatment.cause}`);
    }
  }

  #problem({ section, key, line }: GcfgEntry, problem: string): undefined {
    this.problems.push(`line ${line}: [${section}] ${key}: ${problem}`);
    return undefined;
  }
}

/**
 * Parses booleans as gcfg does, case-insensitively; a key with no value or an empty value is true. Undefined if
 * invalid.
 */
function booleanOf(value: string | undefined): boolean | undefined {
  const text = value?.toLowerCase() ?? '';
  if (['', 'true', 'yes', 'on', '1'].includes(text)) return true;
  return ['false', 'no', 'off', '0'].includes(text) ? false : undefined;
}

/** Whether a value is exempt; empty and boolean values are compared by meaning. */
function isExempt(exemptValues: readonly string[], value: string | undefined): boolean {
  const isFlag = exemptValues.some((each) => each === 'true' || each === 'false');
  if (isFlag) return exemptValues.includes(String(booleanOf(value)));
  return !value || exemptValues.includes(value);
}
