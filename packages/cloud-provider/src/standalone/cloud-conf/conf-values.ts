import { type GcfgEntry, type GcfgFile } from '@fairway/openstack/config/gcfg';
import { CLOUD_CONF_KEYS } from './keys.ts';

/** The sections that may have a name: `[LoadBalancerClass "fast"]`. */
const NAMED: ReadonlySet<string> = new Set(['global', 'loadbalancerclass']);

/** Go's, but for those longer than an hour: `5s`, `1m30s`, `500ms`. */
const DURATION = /^(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/;

/** The values of a cloud.conf by section and key; collects all that is wrong, in the words of the file. */
export class ConfValues {
  readonly warnings: string[] = [];
  readonly problems: string[] = [];
  readonly #file: GcfgFile;

  constructor(file: GcfgFile) {
    this.#file = file;
    for (const { section, subsection, line } of file.sections) {
      if (subsection !== undefined && !NAMED.has(section) && section in CLOUD_CONF_KEYS) {
        this.problems.push(`line ${line}: [${section}] takes no name, and has "${subsection}"`);
      }
    }
    for (const entry of file.entries) this.#judge(entry);
  }

  /** Names of the sections of a kind, in their order; undefined for one without a name. */
  sections(section: string): readonly (string | undefined)[] {
    const found = this.#file.sections.filter((each) => each.section === section);
    return [...new Set(found.map(({ subsection }) => subsection))];
  }

  /** All values of a key that may be repeated; empty ones do not count. */
  list(section: string, key: string, subsection?: string): readonly string[] {
    const found = this.#entries(section, key, subsection);
    return found.flatMap(({ value }) => (value === undefined || value === '' ? [] : [value]));
  }

  /** The last one counts; undefined where there is none, or an empty one. */
  text(section: string, key: string, subsection?: string): string | undefined {
    return this.#entries(section, key, subsection).at(-1)?.value || undefined;
  }

  flag(section: string, key: string, subsection?: string): boolean | undefined {
    const entry = this.#entries(section, key, subsection).at(-1);
    if (entry === undefined) return undefined;
    const text = entry.value?.toLowerCase();
    // A key alone is set.
    if (text === undefined || ['true', 'yes', 'on', '1', 't'].includes(text)) return true;
    if (['false', 'no', 'off', '0', 'f'].includes(text)) return false;
    return this.#problem(entry, `"${entry.value}" is neither true nor false`);
  }

  oneOf<T extends string>(section: string, key: string, allowed: readonly T[]): T | undefined {
    const entry = this.#entries(section, key).at(-1);
    if (!entry?.value) return undefined;
    const found = allowed.find((each) => each === entry.value);
    return found ?? this.#problem(entry, `"${entry.value}" is none of ${allowed.join(', ')}`);
  }

  whole(section: string, key: string, min: number, max: number): number | undefined {
    const entry = this.#entries(section, key).at(-1);
    if (!entry?.value) return undefined;
    const value = Number(entry.value);
    if (/^\d+$/.test(entry.value) && value >= min && value <= max) return value;
    return this.#problem(entry, `"${entry.value}" is not a whole number from ${min} to ${max}`);
  }

  /** In milliseconds. */
  duration(section: string, key: string): number | undefined {
    const entry = this.#entries(section, key).at(-1);
    if (!entry?.value) return undefined;
    const [match, minutes = 0, seconds = 0, ms = 0] = DURATION.exec(entry.value) ?? [];
    const value = Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(ms);
    if (match !== undefined && value > 0) return Math.round(value);
    return this.#problem(entry, `"${entry.value}" is not a duration such as 5s or 1m30s`);
  }

  #entries(section: string, key: string, subsection?: string): readonly GcfgEntry[] {
    return this.#file.entries.filter(
      (each) => each.section === section && each.key === key && each.subsection === subsection,
    );
  }

  #judge(entry: GcfgEntry): void {
    const { section, key, value = 'true', line } = entry;
    const treatment = CLOUD_CONF_KEYS[section]?.[key];
    const at = `line ${line}: [${section}] ${key}`;
    if (treatment === undefined) {
      this.warnings.push(`${at} is unknown, and has no effect`);
      return;
    }
    switch (treatment.kind) {
      case 'used':
        return;
      case 'ignored':
        if (treatment.unless.includes(value)) return;
        this.warnings.push(`${at} has no effect: ${treatment.why}`);
        return;
      case 'refused':
        if (value === '' || treatment.unless.includes(value)) return;
        this.problems.push(`${at} = ${value} is refused: ${treatment.why}`);
    }
  }

  #problem({ section, key, line }: GcfgEntry, problem: string): undefined {
    this.problems.push(`line ${line}: [${section}] ${key}: ${problem}`);
    return undefined;
  }
}
