import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { useText } from '../../text/use-text.ts';
import { scheduleTexts } from './schedule-texts.ts';
import type { useSpecEdit } from './use-spec-edit.ts';

export type Edit = Pick<ReturnType<typeof useSpecEdit>, 'isChanged' | 'isSaved' | 'write'>;

/** The button below what is edited, and what became of it. */
export function SaveRow({ edit: { isChanged, isSaved, write } }: { readonly edit: Edit }) {
  const say = useText(scheduleTexts);
  return (
    <>
      <WriteFailure failure={write.failure} />
      <div className="fw-actions">
        <Button
          type="submit"
          variant="secondary"
          isDisabled={!isChanged || write.isRunning}
          isLoading={write.isRunning}
        >
          {say('save')}
        </Button>
        <span role="status" className="fw-quiet">
          {isSaved ? say('saved') : isChanged ? '' : say('unchanged')}
        </span>
      </div>
    </>
  );
}
