import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { TextInput } from '@patternfly/react-core/dist/esm/components/TextInput';
import { PlusIcon } from '@patternfly/react-icons/dist/esm/icons/plus-icon';
import { TrashIcon } from '@patternfly/react-icons/dist/esm/icons/trash-icon';
import { type ClusterDraft, type PoolDraft, poolName } from '../../cluster/draft.ts';
import type { DryRunResult } from '../../cluster/dry-run.ts';
import { Field } from '../../cluster/field.tsx';
import { PoolFields } from '../../cluster/pool-fields.tsx';
import { problemsAt } from '../../cluster/problems.ts';
import { partTexts } from '../../cluster/texts.ts';
import { useText } from '../../text/use-text.ts';
import { newClusterTexts } from './texts.ts';

export interface NodesSectionProps {
  readonly namespace: string;
  readonly draft: ClusterDraft;
  readonly profile: CloudProfileStatus;
  readonly plan: PlanSpec | undefined;
  /** Problems per pool. */
  readonly results: readonly DryRunResult[];
  readonly onChange: (pools: readonly PoolDraft[]) => void;
  readonly onAdd: () => void;
}

/** The cluster's first pools. */
export function NodesSection({ namespace, draft, profile, plan, results, onChange, onAdd }: NodesSectionProps) {
  const t = useText(newClusterTexts);
  const tPart = useText(partTexts);
  const { pools } = draft;
  return (
    <>
      <p className="fw-quiet">{t(pools.length === 0 ? 'nodes.none' : 'nodes.intro')}</p>
      {pools.map((pool, index) => {
        const name = poolName(draft, index, pool.name);
        const change = (part: Partial<PoolDraft>) =>
          onChange(pools.map((each) => (each.key === pool.key ? { ...each, ...part } : each)));
        return (
          <fieldset key={pool.key} className="fw-pool">
            <legend>{t('nodes.pool', { number: index + 1 })}</legend>
            <Field
              id={`${pool.key}-name`}
              label={tPart('pool.name')}
              help={tPart('pool.name.help')}
              problems={problemsAt(results[index]?.problems, 'metadata.name')}
            >
              {(input) => (
                <TextInput
                  {...input}
                  value={draft.name === '' && pool.name === undefined ? '' : name}
                  autoCapitalize="none"
                  spellCheck={false}
                  onChange={(_event, next) => change({ name: next === '' ? undefined : next })}
                />
              )}
            </Field>
            <PoolFields
              id={pool.key}
              namespace={namespace}
              spec={pool.spec}
              profile={profile}
              plan={plan}
              result={results[index]}
              onChange={(spec) => change({ spec })}
            />
            <Button
              className="fw-pool-remove"
              variant="plain"
              aria-label={t('nodes.remove', { name })}
              icon={<TrashIcon />}
              onClick={() => onChange(pools.filter(({ key }) => key !== pool.key))}
            />
          </fieldset>
        );
      })}
      <div>
        <Button variant="secondary" icon={<PlusIcon />} onClick={onAdd}>
          {t('nodes.add')}
        </Button>
      </div>
    </>
  );
}
