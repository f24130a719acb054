const MAX_SUGGESTIONS = 3;
/**
 * Budget for character comparisons, worth a few milliseconds: a project can have ten thousand images with long names.
 */
const MAX_STEPS = 500_000;

/** `did you mean "b3-8" or "b3-16"?` for likely typos, or else the available names; '' if there are none. */
export function suggest(wrong: string, candidates: readonly string[]): string {
  if (candidates.length === 0) return '';
  const limit = Math.max(2, Math.floor(wrong.length / 3));
  const near = comparableCandidates(wrong, candidates)
    .map((candidate) => ({ candidate, distance: editDistance(wrong.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= limit || candidate.includes(wrong))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ candidate }) => `"${candidate}"`);
  if (near.length > 0) return `did you mean ${near.join(' or ')}?`;
  const listed = candidates.slice(0, 10).map((candidate) => `"${candidate}"`);
  return `there ${listed.length === 1 ? 'is' : 'are'} ${listed.join(', ')}${candidates.length > 10 ? ` and ${candidates.length - 10} more` : ''}`;
}

/** The first candidates that fit within the comparison budget. */
function comparableCandidates(wrong: string, candidates: readonly string[]): readonly string[] {
  let steps = 0;
  const end = candidates.findIndex((candidate) => (steps += wrong.length * (candidate.length + 1)) > MAX_STEPS);
  return end < 0 ? candidates : candidates.slice(0, end);
}

/** Levenshtein distance: insertions, deletions and substitutions. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const current = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const substitution = (previous[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j + 1] ?? 0) + 1, (current[j] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
