import type { Plan } from '../kinds/plan.ts';

/** Lists of `spec.allowed` whose entries are ids, names or patterns with `*`. */
export type AllowedThing = 'flavors' | 'images' | 'regions' | 'networks';

/**
 * Why the plan does not allow something; undefined if it does. `names` are all that it is called: what the user wrote, id and name in
 * the cloud. A plan without a list allows everything.
 */
export function allowanceProblem(
  plan: Plan,
  thing: AllowedThing,
  names: readonly (string | undefined)[],
): string | undefined {
  const patterns = plan.spec.allowed?.[thing];
  if (patterns === undefined) return undefined;
  const isMatch = names.some((name) => name !== undefined && patterns.some((pattern) => matches(pattern, name)));
  if (isMatch) return undefined;
  const shown = patterns.slice(0, SHOWN).map((pattern) => `"${pattern}"`);
  const more = patterns.length > SHOWN ? ` and ${patterns.length - SHOWN} more` : '';
  return `plan "${plan.metadata.name}" allows the ${thing} ${shown.join(', ')}${more}: choose one of these, or another plan`;
}

const SHOWN = 8;

/** Whether `*` in the pattern can stand for what the text has there. Takes time in proportion to both lengths, whatever they are. */
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
