import { isDeepStrictEqual } from 'node:util';
import { expectedOf, type Outcome, type Situation, sizesBefore } from './situation.ts';

/** The page docs/tenants/autoscaling-compared.md. Throws if a difference is not explained, or an explanation explains none. */
export function renderComparison(
  situations: readonly Situation[],
  upstream: { readonly kubernetes: string; readonly decisions: Readonly<Record<string, Outcome>> },
): string {
  const rows = situations.map((situation) => {
    const ours = expectedOf(situation);
    const theirs = upstream.decisions[situation.key];
    if (theirs === undefined) throw new Error(`nobody has asked cluster-autoscaler about ${situation.key}`);
    const isSame = isDeepStrictEqual(ours, theirs);
    if (isSame !== (situation.difference === undefined)) {
      throw new Error(`${situation.key}: ${isSame ? 'there is no difference to explain' : 'why is it different?'}`);
    }
    const cells = [
      situation.name,
      describe(situation, ours),
      describe(situation, theirs),
      situation.difference ?? 'same',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const different = situations.filter(({ difference }) => difference !== undefined).length;
  return `<!-- Made by npm run compare:autoscalers; changes are lost. -->
# Autoscaling compared

${situations.length} situations, put to Fairway's own [autoscaling](autoscaling.md) and to upstream's cluster-autoscaler, which ran against Fairway as
[your own autoscaler](external-autoscaler.md) in a cluster of Kubernetes ${upstream.kubernetes}. ${situations.length - different} end the same, ${different} differently. Sizes of pools are before → after; nodes are counted from 0.

cluster-autoscaler ran with its defaults but for \`--expander=priority,least-waste\` with the priorities of the pools, the flags of
[your own autoscaler](external-autoscaler.md#flags) and shorter times. Nodes have 2 CPUs and 8 GiB (\`b3-8\`), those of pools named "large" more.

| when | Fairway | cluster-autoscaler | |
|---|---|---|---|
${rows.join('\n')}
`;
}

function describe(situation: Situation, { sizes, gone }: Outcome): string {
  const before = sizesBefore(situation);
  const changed = Object.entries(sizes).filter(([pool, size]) => size !== before[pool]);
  if (changed.length === 0) return 'nothing changes';
  const text = changed.map(([pool, size]) => `${pool} ${before[pool]} → ${size}`).join(', ');
  return gone.length === 0 ? text : `${text}, without ${gone.join(', ')}`;
}
