import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Link } from 'wouter';
import type { Failure } from '../../api/failure.ts';
import { type ClusterDraft, clusterOf, poolsOf } from '../../cluster/draft.ts';
import { partTexts } from '../../cluster/texts.ts';
import { UsageTable } from '../../cluster/usage-table.tsx';
import { YamlView } from '../../cluster/yaml-view.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { newClusterTexts } from './texts.ts';

export interface SummaryProps {
  readonly draft: ClusterDraft;
  readonly namespace: string;
  readonly profile: CloudProfileStatus | undefined;
  /** The number of errors from the API; undefined while unknown. */
  readonly problemCount: number | undefined;
  readonly isAsking: boolean;
  readonly isCreating: boolean;
  readonly failure: Failure | undefined;
  /** Messages that concern no field of the form. */
  readonly problemsElsewhere: readonly string[];
  readonly onCancel: () => void;
}

/** The button, and the objects to create with their resources. The button stays in place when the quotas change. */
export function Summary({
  draft,
  namespace,
  profile,
  problemCount,
  isAsking,
  isCreating,
  failure,
  problemsElsewhere,
  onCancel,
}: SummaryProps) {
  const t = useText(newClusterTexts);
  const tPart = useText(partTexts);
  const sizes = draft.pools.map(({ spec: { flavor, replicas = 1, floatingIPs } }) => ({
    flavor,
    nodes: replicas,
    hasFloatingIPs: floatingIPs?.enabled,
  }));
  const isNamed = draft.name !== '';
  return (
    <aside className="fw-summary" aria-label={t('summary')}>
      <h2>{isNamed ? draft.name : t('summary')}</h2>
      {problemsElsewhere.map((text) => (
        <Alert key={text} isInline variant="warning" title={tPart('other.problems')}>
          <ServerText text={text} />
        </Alert>
      ))}
      {failure !== undefined && (
        <Alert isInline isLiveRegion variant="danger" title={t('create.failed')}>
          <ServerText text={failure.code === 0 ? '' : failure.message} />
          {failure.isTransient && <p>{t('create.unheard')}</p>}
        </Alert>
      )}
      <p className="fw-asked" role="status" data-objections={isAsking ? undefined : problemCount}>
        {isNamed && (isAsking ? tPart('asking') : <ValidationResult problemCount={problemCount} />)}
      </p>
      <div className="fw-actions">
        <Button type="submit" variant="primary" isLoading={isCreating} isDisabled={isCreating}>
          {t(isCreating ? 'creating' : 'create')}
        </Button>
        <Link href="/" className="pf-v6-c-button pf-m-link" onClick={onCancel}>
          {t('cancel')}
        </Link>
      </div>
      <UsageTable pools={sizes} profile={profile} />
      <YamlView objects={[clusterOf(draft, namespace), ...poolsOf(draft, namespace)]} />
    </aside>
  );
}

function ValidationResult({ problemCount }: { readonly problemCount: number | undefined }) {
  const t = useText(partTexts);
  if (problemCount === undefined) return t('asked.unknown');
  if (problemCount === 0) return <span className="fw-good">✓ {t('asked.ok')}</span>;
  return <span className="fw-bad">{t('asked.problems', { count: problemCount })}</span>;
}
