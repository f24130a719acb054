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
import type { Asked } from '../../cluster/use-dry-run.ts';
import { UseTable } from '../../cluster/use-table.tsx';
import type { Write } from '../../cluster/use-write.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { poolTexts } from './texts.ts';

export interface PoolFormProps {
  readonly spec: PoolSpec;
  readonly profile: CloudProfileStatus | undefined;
  readonly asked: Asked<DryRunResult>;
  readonly write: Write;
  readonly button: string;
  readonly isUnchanged?: boolean;
  /** Where one goes back to. */
  readonly back: string;
  readonly children: ReactNode;
  /** What it would create, as YAML. */
  readonly yaml?: ReactNode;
  /** Below the buttons. */
  readonly footer?: ReactNode;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
}

/** The frame of both: fields, what they take, and the button. */
export function PoolForm({
  spec,
  profile,
  asked: { result, isAsking },
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
  const say = useText(poolTexts);
  const sayPart = useText(partTexts);
  const others = [
    ...problemsElsewhere(result?.problems, POOL_FIELDS).map(({ field, said }) =>
      field === '' ? said : `${field}: ${said}`,
    ),
    ...warningsElsewhere(result?.warnings, POOL_FIELDS),
  ];
  const objections = [...(result?.problems.values() ?? [])].flat().length;
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
      <aside className="fw-summary" aria-label={say('summary')}>
        <h2>{say('summary')}</h2>
        <UseTable
          pools={[{ flavor: spec.flavor, nodes: spec.replicas ?? 1, hasFloatingIPs: spec.floatingIPs?.enabled }]}
          profile={profile}
        />
        {others.map((text) => (
          <Alert key={text} isInline variant="warning" title={sayPart('other.problems')}>
            <ServerText text={text} />
          </Alert>
        ))}
        <WriteFailure failure={failure} />
        <p className="fw-asked" role="status">
          {isUnchanged ? (
            say('unchanged')
          ) : isAsking ? (
            sayPart('asking')
          ) : result === undefined || result.failure !== undefined ? (
            sayPart('asked.unknown')
          ) : objections === 0 ? (
            <span className="fw-good">✓ {sayPart('asked.ok')}</span>
          ) : (
            <span className="fw-bad">{sayPart('asked.problems', { count: objections })}</span>
          )}
        </p>
        <div className="fw-actions">
          <Button type="submit" isLoading={isRunning} isDisabled={isRunning || isUnchanged}>
            {button}
          </Button>
          <Link href={back} className="pf-v6-c-button pf-m-link" onClick={onCancel}>
            {say('cancel')}
          </Link>
        </div>
        {yaml}
      </aside>
    </Form>
  );
}
