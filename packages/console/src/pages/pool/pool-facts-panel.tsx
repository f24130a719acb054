import type { NodePool } from '@fairway/api/kinds/node-pool';
import { plain } from '../../text/plain.ts';
import { useText } from '../../text/use-text.ts';
import { factsTexts } from './facts-texts.ts';
import { poolFacts } from './pool-facts.ts';

/** Settings of the pool beyond the fields of the form; empty if it has none. */
export function PoolFactsPanel({ pool }: { readonly pool: NodePool }) {
  const t = useText(factsTexts);
  const rows = poolFacts(pool);
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="pool-facts-title">
      <h2 id="pool-facts-title">{t('title')}</h2>
      <dl className="fw-facts">
        {rows.map(({ fact, values, problem }) => (
          <div key={fact} className={values.length > 1 || problem !== undefined ? 'fw-facts-wide' : undefined}>
            <dt>{t(fact)}</dt>
            <dd>
              {values.map((value) => (
                <span key={value}>{value === 'Hard' || value === 'Soft' ? t(value) : plain(value)}</span>
              ))}
              {problem !== undefined && <span className="fw-quiet">{plain(problem)}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <p className="fw-quiet">{t('help')}</p>
    </section>
  );
}
