import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import type { Failure } from '../../api/failure.ts';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { useText } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import type { DeletedCluster } from './orphans.ts';
import { orphansTexts } from './texts.ts';

export interface DeletedClustersProps {
  /** Why nothing is known of them. */
  readonly failure: Failure | undefined;
  /** Whether these are all. */
  readonly isKnown: boolean;
  readonly ended: readonly DeletedCluster[];
  readonly onLook: (cluster: DeletedCluster) => void;
}

const SHOWN = 200;

/** Clusters that are gone, and that something may still turn up of. */
export function DeletedClusters({ ended, isKnown, failure, onLook }: DeletedClustersProps) {
  const say = useText(orphansTexts);
  return (
    <section aria-labelledby="orphans-ended">
      <h2 id="orphans-ended" className="fw-op-section">
        {say('ended.title')}
      </h2>
      {failure === undefined ? (
        isKnown && <p className="fw-quiet">{say(ended.length === 0 ? 'ended.none' : 'ended.body')}</p>
      ) : (
        <FailureNotice failure={failure} />
      )}
      {ended.length > 0 && (
        <Table aria-label={say('ended.label')} variant="compact" gridBreakPoint="grid-md">
          <Thead>
            <Tr>
              <Th width={30}>{say('ended.cluster')}</Th>
              <Th width={30}>{say('ended.project')}</Th>
              <Th width={20}>{say('ended.when')}</Th>
              <Th>{say('ended.action')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {ended.slice(0, SHOWN).map((cluster) => (
              <Tr key={cluster.name}>
                <Td dataLabel={say('ended.cluster')} className="fw-name">
                  {cluster.cluster}
                </Td>
                <Td dataLabel={say('ended.project')}>{cluster.projectID}</Td>
                <Td dataLabel={say('ended.when')}>
                  <When at={cluster.ended} />
                </Td>
                <Td dataLabel={say('ended.action')}>
                  <Button
                    variant="link"
                    isInline
                    aria-label={say('look.label', { cluster: cluster.cluster })}
                    onClick={() => onLook(cluster)}
                  >
                    {say('look')}
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
