import type { Plan } from '../kinds/plan.ts';

/** Lists of `spec.allowed` whose entries are ids, names or patterns with `*`. */
export type AllowListName = 'flavors' | 'images' | 'regions' | 'networks';

/** As known to the cloud; if the cloud's values are unknown, both are the user's value. */
interface NamedItem {
  readonly id: string;
  readonly name?: string | null | undefined;
}

/**
 * The ID of an image or network. Only the cloud assigns IDs, whereas tenants can name their own resources after another
 * resource's ID.
 */
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** Why the plan does not allow a value; undefined if it does. A plan without a list allows everything. */
export function allowanceProblem(plan: Plan, listName: AllowListName, item: NamedItem): string | undefined {
  const patterns = plan.spec.allowed?.[listName];
  if (patterns === undefined || patterns.some((pattern) => matchesItem(pattern, item))) return undefined;
  const shown = patterns.slice(0, MAX_SHOWN_PATTERNS).map((pattern) => `"${pattern}"`);
  const more = patterns.length > MAX_SHOWN_PATTERNS ? ` and ${patterns.length - MAX_SHOWN_PATTERNS} more` : '';
  return `plan "${plan.metadata.name}" allows the ${listName} ${shown.join(', ')}${more}: choose one of them, or another plan`;
}

const MAX_SHOWN_PATTERNS = 8;

/** Whether an entry of an allow list matches something in the cloud: its ID, or its name unless the entry is an ID. */
export function matchesItem(pattern: string, { id, name }: NamedItem): boolean {
  return matches(pattern, id) || (!UUID.test(pattern) && typeof name === 'string' && matches(pattern, name));
}

/**
 * Whether the string matches the pattern, in which `*` is a wildcard. Takes time at most proportional to the product of
 * their lengths.
 */
export function matches(pattern: string, text: string): boolean {
  let p = 0;
  let star = -1;
  let resume = 0;
  for (let t = 0; t < text.length; ) {
    if (pattern[p] === '*') {
      star = p++;
      resume = t;
    } else if (pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
