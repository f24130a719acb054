import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import type { Failure } from '../../api/failure.ts';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { RelativeTime } from '../../text/relative-time.tsx';
import { useText } from '../../text/use-text.ts';
import type { DeletedCluster } from './orphans.ts';
import { orphansTexts } from './texts.ts';

export interface DeletedClustersProps {
  /** Why the records cannot be read. */
  readonly failure: Failure | undefined;
  /** Whether the list is complete. */
  readonly isKnown: boolean;
  readonly deletedClusters: readonly DeletedCluster[];
  readonly onCheck: (cluster: DeletedCluster) => void;
}

const MAX_SHOWN = 200;

/** Deleted clusters that may still have orphaned resources. */
export function DeletedClusters({ deletedClusters, isKnown, failure, onCheck }: DeletedClustersProps) {
  const t = useText(orphansTexts);
  return (
    <section aria-labelledby="orphans-ended">
      <h2 id="orphans-ended" className="fw-op-section">
        {t('ended.title')}
      </h2>
      {failure === undefined ? (
        isKnown && <p className="fw-quiet">{t(deletedClusters.length === 0 ? 'ended.none' : 'ended.body')}</p>
      ) : (
        <FailureNotice failure={failure} />
      )}
      {deletedClusters.length > 0 && (
        <Table aria-label={t('ended.label')} variant="compact" gridBreakPoint="grid-md">
          <Thead>
            <Tr>
              <Th width={30}>{t('ended.cluster')}</Th>
              <Th width={30}>{t('ended.project')}</Th>
              <Th width={20}>{t('ended.when')}</Th>
              <Th>{t('ended.action')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {deletedClusters.slice(0, MAX_SHOWN).map((cluster) => (
              <Tr key={cluster.name}>
                <Td dataLabel={t('ended.cluster')} className="fw-name">
                  {cluster.cluster}
                </Td>
                <Td dataLabel={t('ended.project')}>{cluster.projectID}</Td>
                <Td dataLabel={t('ended.when')}>
                  <RelativeTime at={cluster.ended} />
                </Td>
                <Td dataLabel={t('ended.action')}>
                  <Button
                    variant="link"
                    isInline
                    aria-label={t('look.label', { cluster: cluster.cluster })}
                    onClick={() => onCheck(cluster)}
                  >
                    {t('look')}
                  </Button>
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
    </section>
  );
}
