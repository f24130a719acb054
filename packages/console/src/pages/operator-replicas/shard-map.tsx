import { useText } from '../../text/use-text.ts';
import type { Replica, Shard } from './shards.ts';
import { replicasTexts } from './texts.ts';

/** As many as can be told apart; further replicas share them. */
const COLOURS = 6;

/** Which replica has which shard. All of it is in the tables and names too: the picture shows how even it is. */
export function ShardMap({
  shards,
  replicas,
}: {
  readonly shards: readonly Shard[];
  readonly replicas: readonly Replica[];
}) {
  const say = useText(replicasTexts);
  const numbers = new Map(replicas.map(({ name }, index) => [name, index % COLOURS]));
  return (
    <section aria-labelledby="shard-map">
      <h2 id="shard-map" className="fw-op-section">
        {say('map.title')}
      </h2>
      <ul className="fw-op-shards" aria-label={say('map.label')}>
        {shards.map(({ number, holder, clusters, hasMoved }) => {
          const text = say('map.shard', { number, holder: holder ?? say('map.none'), clusters });
          const told = hasMoved ? `${text}, ${say('map.moved')}` : text;
          const colour = holder === undefined ? 'none' : String(numbers.get(holder));
          return (
            <li
              key={number}
              className={`fw-op-shard fw-op-shard-${colour}${hasMoved ? ' fw-op-shard-moved' : ''}`}
              title={told}
            >
              <span aria-hidden="true">{clusters}</span>
              <span className="pf-v6-screen-reader">{told}</span>
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
