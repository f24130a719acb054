import { automatonOf } from './automaton.ts';

/** Limit on the steps of the analysis. An expression that exceeds it is also too long for people to review. */
const MAX_STEPS = 2_000_000;

/**
 * Why the matching time of an expression may grow faster than its input; undefined if it can't. It may if two of its
 * positions can match the same text in more than one way, and all ways are tried if a later part doesn't match. After
 * Weber and Seidl, "On the degree of ambiguity of finite automata", with a state for the search from each character.
 * May report false positives. Throws a SyntaxError.
 */
export function growthOf(pattern: string, flags: string): string | undefined {
  const automaton = automatonOf(pattern, flags);
  // After a match there is no backtracking.
  const next = automaton.map((position) => (position.isEnd ? [] : [...position.next.keys()]));
  const reach = next.map((_, from) => reachableFrom(from, next));
  const inLoop = automaton.map((_, i) => next[i]?.some((to) => reach[to]?.has(i)) ?? false);
  const group = (i: number) => [...(reach[i] ?? [])].filter((to) => reach[to]?.has(i));
  const name = (i: number) => `"${automaton[i]?.text}"`;
  let steps = 0;
  const search = (
    starts: readonly (readonly number[])[],
    allowed: readonly Set<number>[],
    isFound: (at: readonly number[]) => boolean,
  ): boolean => {
    const seen = new Set(starts.map(String));
    const open = [...starts];
    for (let at = open.pop(); at; at = open.pop()) {
      if (++steps > MAX_STEPS) return true;
      const takes = at.reduce((mask, i) => mask & (automaton[i]?.takes ?? 0n), -1n);
      if (takes === 0n) continue;
      for (const to of combinations(at.map((i, k) => (next[i] ?? []).filter((n) => allowed[k]?.has(n))))) {
        if (to.reduce((mask, i) => mask & (automaton[i]?.takes ?? 0n), -1n) === 0n) continue;
        if (isFound(to)) return true;
        const key = String(to);
        if (!seen.has(key)) open.push(to);
        seen.add(key);
      }
    }
    return false;
  };
  for (const [i, position] of automaton.entries()) {
    if (!inLoop[i] || i === 0 || position.isEnd) continue;
    const loop = new Set(group(i));
    for (const [to, ways] of position.next)
      if (ways > 1 && loop.has(to) && position.takes !== 0n)
        return `its time doubles with each repetition of ${name(to)}`;
    const apart = new Set<string>();
    search([[i, i]], [loop, loop], (at) => {
      if (at[0] !== at[1]) apart.add(String(at));
      return false;
    });
    for (const at of apart) {
      const pair = at.split(',').map(Number);
      if (search([pair], [loop, loop], ([a, b]) => a === i && b === i))
        return `its time doubles with each repetition: ${name(pair[0] ?? 0)} and ${name(pair[1] ?? 0)} match the same text`;
    }
  }
  for (const i of automaton.keys()) {
    if (!inLoop[i]) continue;
    for (const k of automaton.keys()) {
      if (k === i || !inLoop[k] || !reach[i]?.has(k) || reach[k]?.has(i)) continue;
      const [first, last] = [new Set(group(i)), new Set(group(k))];
      const between = new Set([...(reach[i] ?? []), i]);
      if (search([[i, i, k]], [first, between, last], ([a, b, c]) => a === i && b === k && c === k)) {
        return i === 0
          ? `its time grows with the square of the text: the search starts again at each character, and continues as far as ${name(k)} does`
          : `its time grows with the square of the text: ${name(i)} and ${name(k)} match the same characters`;
      }
    }
  }
  return undefined;
}

function reachableFrom(from: number, next: readonly (readonly number[])[]): Set<number> {
  const reached = new Set<number>();
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const to of next[at] ?? []) {
      if (!reached.has(to)) open.push(to);
      reached.add(to);
    }
  }
  return reached;
}

function combinations(choices: readonly (readonly number[])[]): number[][] {
  return choices.reduce<number[][]>((all, choice) => all.flatMap((some) => choice.map((one) => [...some, one])), [[]]);
}
