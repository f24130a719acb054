import { useText } from '../../text/use-text.ts';
import type { Replica, Shard } from './shards.ts';
import { replicasTexts } from './texts.ts';

/** How many colours users can tell apart; additional replicas reuse them. */
const COLOURS = 6;

/** Shows which replica has which shard. The tables and labels contain the same data; the map shows the balance. */
export function ShardMap({
  shards,
  replicas,
}: {
  readonly shards: readonly Shard[];
  readonly replicas: readonly Replica[];
}) {
  const t = useText(replicasTexts);
  const numbers = new Map(replicas.map(({ name }, index) => [name, index % COLOURS]));
  return (
    <section aria-labelledby="shard-map">
      <h2 id="shard-map" className="fw-op-section">
        {t('map.title')}
      </h2>
      <ul className="fw-op-shards" aria-label={t('map.label')}>
        {shards.map(({ number, holder, clusters, hasMoved }) => {
          const text = t('map.shard', { number, holder: holder ?? t('map.none'), clusters });
          const cellLabel = hasMoved ? `${text}, ${t('map.moved')}` : text;
          const colour = holder === undefined ? 'none' : String(numbers.get(holder));
          return (
            <li
              key={number}
              className={`fw-op-shard fw-op-shard-${colour}${hasMoved ? ' fw-op-shard-moved' : ''}`}
              title={cellLabel}
            >
              <span aria-hidden="true">{clusters}</span>
              <span className="pf-v6-screen-reader">{cellLabel}</span>
            </li>
          );
        })}
      </ul>
      <p className="fw-op-keys">
        {replicas.map(({ name }) => (
          <span key={name} className="fw-op-legend">
            <span aria-hidden="true" className={`fw-op-key fw-op-shard-${numbers.get(name)}`} />
            {name}
          </span>
        ))}
      </p>
    </section>
  );
}
