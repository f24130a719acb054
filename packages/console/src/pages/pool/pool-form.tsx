import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Form } from '@patternfly/react-core/dist/esm/components/Form';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { PoolSpec } from '../../cluster/draft.ts';
import type { DryRunResult } from '../../cluster/dry-run.ts';
import { POOL_FIELDS } from '../../cluster/pool-fields.tsx';
import { problemsElsewhere, warningsElsewhere } from '../../cluster/problems.ts';
import { partTexts } from '../../cluster/texts.ts';
import { UsageTable } from '../../cluster/usage-table.tsx';
import type { DryRunState } from '../../cluster/use-dry-run.ts';
import type { WriteState } from '../../cluster/use-write.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { poolTexts } from './texts.ts';

export interface PoolFormProps {
  readonly spec: PoolSpec;
  readonly profile: CloudProfileStatus | undefined;
  readonly dryRun: DryRunState<DryRunResult>;
  readonly write: WriteState;
  readonly button: string;
  readonly isUnchanged?: boolean;
  /** The page to return to. */
  readonly back: string;
  readonly children: ReactNode;
  /** The YAML of the objects to create. */
  readonly yaml?: ReactNode;
  /** Content below the buttons. */
  readonly footer?: ReactNode;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
}

/** The common form: fields, required resources, and the button. */
export function PoolForm({
  spec,
  profile,
  dryRun: { result, isAsking },
  write: { isRunning, failure },
  button,
  isUnchanged = false,
  back,
  children,
  yaml,
  footer,
  onSubmit,
  onCancel,
}: PoolFormProps) {
  const t = useText(poolTexts);
  const tPart = useText(partTexts);
  const otherProblems = [
    ...problemsElsewhere(result?.problems, POOL_FIELDS).map(({ field, message }) =>
      field === '' ? message : `${field}: ${message}`,
    ),
    ...warningsElsewhere(result?.warnings, POOL_FIELDS),
  ];
  const problemCount = [...(result?.problems.values() ?? [])].flat().length;
  return (
    <Form
      className="fw-new-cluster"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <div className="fw-steps">
        <section className="fw-step">{children}</section>
        {footer}
      </div>
      <aside className="fw-summary" aria-label={t('summary')}>
        <h2>{t('summary')}</h2>
        {otherProblems.map((text) => (
          <Alert key={text} isInline variant="warning" title={tPart('other.problems')}>
            <ServerText text={text} />
          </Alert>
        ))}
        <WriteFailure failure={failure} />
        <p className="fw-asked" role="status">
          {isUnchanged ? (
            t('unchanged')
          ) : isAsking ? (
            tPart('asking')
          ) : result === undefined || result.failure !== undefined ? (
            tPart('asked.unknown')
          ) : problemCount === 0 ? (
            <span className="fw-good">✓ {tPart('asked.ok')}</span>
          ) : (
            <span className="fw-bad">{tPart('asked.problems', { count: problemCount })}</span>
          )}
        </p>
        <div className="fw-actions">
          <Button type="submit" isLoading={isRunning} isDisabled={isRunning || isUnchanged}>
            {button}
          </Button>
          <Link href={back} className="pf-v6-c-button pf-m-link" onClick={onCancel}>
            {t('cancel')}
          </Link>
        </div>
        {/* Below the button, which would move when the quotas change. */}
        <UsageTable
          pools={[{ flavor: spec.flavor, nodes: spec.replicas ?? 1, hasFloatingIPs: spec.floatingIPs?.enabled }]}
          profile={profile}
        />
        {yaml}
      </aside>
    </Form>
  );
}
