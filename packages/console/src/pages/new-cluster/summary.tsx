import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Link } from 'wouter';
import type { Failure } from '../../api/failure.ts';
import { AsYaml } from '../../cluster/as-yaml.tsx';
import { type ClusterDraft, clusterOf, poolsOf } from '../../cluster/draft.ts';
import { partTexts } from '../../cluster/texts.ts';
import { UseTable } from '../../cluster/use-table.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { newClusterTexts } from './texts.ts';

export interface SummaryProps {
  readonly draft: ClusterDraft;
  readonly namespace: string;
  readonly profile: CloudProfileStatus | undefined;
  /** How many things the API objects to; undefined: not known. */
  readonly objections: number | undefined;
  readonly isAsking: boolean;
  readonly isCreating: boolean;
  readonly failure: Failure | undefined;
  /** What is about none of the fields. */
  readonly others: readonly string[];
  readonly onCancel: () => void;
}

/** What will be made, what it takes, and the button. */
export function Summary({
  draft,
  namespace,
  profile,
  objections,
  isAsking,
  isCreating,
  failure,
  others,
  onCancel,
}: SummaryProps) {
  const say = useText(newClusterTexts);
  const sayPart = useText(partTexts);
  const sizes = draft.pools.map(({ spec: { flavor, replicas = 1, floatingIPs } }) => ({
    flavor,
    nodes: replicas,
    hasFloatingIPs: floatingIPs?.enabled,
  }));
  const isNamed = draft.name !== '';
  return (
    <aside className="fw-summary" aria-label={say('summary')}>
      <h2>{isNamed ? draft.name : say('summary')}</h2>
      <UseTable pools={sizes} profile={profile} />
      {others.map((text) => (
        <Alert key={text} isInline variant="warning" title={sayPart('other.problems')}>
          <ServerText text={text} />
        </Alert>
      ))}
      {failure !== undefined && (
        <Alert isInline isLiveRegion variant="danger" title={say('create.failed')}>
          <ServerText text={failure.code === 0 ? '' : failure.message} />
          {failure.isPassing && <p>{say('create.unheard')}</p>}
        </Alert>
      )}
      <p className="fw-asked" role="status" data-objections={isAsking ? undefined : objections}>
        {isNamed && (isAsking ? sayPart('asking') : <Answer objections={objections} />)}
      </p>
      <div className="fw-actions">
        <Button type="submit" variant="primary" isLoading={isCreating} isDisabled={isCreating}>
          {say(isCreating ? 'creating' : 'create')}
        </Button>
        <Link href="/" className="pf-v6-c-button pf-m-link" onClick={onCancel}>
          {say('cancel')}
        </Link>
      </div>
      <AsYaml objects={[clusterOf(draft, namespace), ...poolsOf(draft, namespace)]} />
    </aside>
  );
}

function Answer({ objections }: { readonly objections: number | undefined }) {
  const say = useText(partTexts);
  if (objections === undefined) return say('asked.unknown');
  if (objections === 0) return <span className="fw-good">✓ {say('asked.ok')}</span>;
  return <span className="fw-bad">{say('asked.problems', { count: objections })}</span>;
}
