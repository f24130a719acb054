import type { Cluster } from '@fairway/api/kinds/cluster';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { clusters } from '../../api/resources.ts';
import { ChangePreview } from '../../cluster/change-preview.tsx';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { useText } from '../../text/use-text.ts';
import { scheduleTexts } from './schedule-texts.ts';
import type { useSpecEdit } from './use-spec-edit.ts';

export type Edit = Pick<ReturnType<typeof useSpecEdit>, 'isChanged' | 'isSaved' | 'write' | 'patch' | 'asked'>;

export interface SaveRowProps {
  readonly cluster: Cluster;
  readonly edit: Edit;
}

/** Below a form: the change it would make, the button, and the result. */
export function SaveRow({ cluster, edit: { isChanged, isSaved, write, patch, asked } }: SaveRowProps) {
  const t = useText(scheduleTexts);
  return (
    <>
      <ChangePreview resource={clusters} stored={cluster} patch={patch} dryRun={asked} />
      <WriteFailure failure={write.failure} />
      <div className="fw-actions">
        <Button
          type="submit"
          variant="secondary"
          isDisabled={!isChanged || write.isRunning}
          isLoading={write.isRunning}
        >
          {t('save')}
        </Button>
        <span role="status" className="fw-quiet">
          {isSaved ? t('saved') : isChanged ? '' : t('unchanged')}
        </span>
      </div>
    </>
  );
}
