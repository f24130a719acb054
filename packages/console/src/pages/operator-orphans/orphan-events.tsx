import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { events } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import { orphansTexts } from './texts.ts';

const FOUND = { fieldSelector: 'reason=OrphanFound' };
const DELETED = { fieldSelector: 'reason=OrphanDeleted' };
const NOT_DELETED = { fieldSelector: 'reason=OrphanNotDeleted' };
const SHOWN = 100;

/** Events about orphans, the newest first. */
export function OrphanEvents() {
  const say = useText(orphansTexts);
  const found = useResources(events, FOUND);
  const deleted = useResources(events, DELETED);
  const notDeleted = useResources(events, NOT_DELETED);
  const failure = found.failure ?? deleted.failure ?? notDeleted.failure;
  const isComplete = found.isComplete && deleted.isComplete && notDeleted.isComplete;
  const told = [...found.items, ...deleted.items, ...notDeleted.items]
    .map((event) => ({ event, at: event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '' }))
    .sort((a, b) => b.at.localeCompare(a.at))
    .slice(0, SHOWN);
  return (
    <section aria-labelledby="orphans-told">
      <h2 id="orphans-told" className="fw-op-section">
        {say('told.title')}
      </h2>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {told.length === 0 ? (
        isComplete && <p className="fw-quiet">{say('told.none')}</p>
      ) : (
        <Table aria-label={say('told.label')} variant="compact" gridBreakPoint="grid-md">
          <Thead>
            <Tr>
              <Th width={10}>{say('told.when')}</Th>
              <Th width={20}>{say('told.object')}</Th>
              <Th width={15}>{say('told.reason')}</Th>
              <Th>{say('told.message')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {told.map(({ event: { metadata, involvedObject, reason, message }, at }) => (
              <Tr key={metadata.uid}>
                <Td dataLabel={say('told.when')}>
                  <When at={at} />
                </Td>
                <Td dataLabel={say('told.object')}>
                  {metadata.namespace}/{involvedObject?.name}
                </Td>
                <Td dataLabel={say('told.reason')}>{reason}</Td>
                <Td dataLabel={say('told.message')}>
                  <ServerText text={message} />
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
    </section>
  );
}
