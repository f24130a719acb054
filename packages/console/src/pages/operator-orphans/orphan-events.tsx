import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { events } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { RelativeTime } from '../../text/relative-time.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { orphansTexts } from './texts.ts';

const FOUND_SELECTOR = { fieldSelector: 'reason=OrphanFound' };
const DELETED_SELECTOR = { fieldSelector: 'reason=OrphanDeleted' };
const NOT_DELETED_SELECTOR = { fieldSelector: 'reason=OrphanNotDeleted' };
const MAX_SHOWN = 100;

/** Events about orphans, newest first. */
export function OrphanEvents() {
  const t = useText(orphansTexts);
  const found = useResources(events, FOUND_SELECTOR);
  const deleted = useResources(events, DELETED_SELECTOR);
  const notDeleted = useResources(events, NOT_DELETED_SELECTOR);
  const failure = found.failure ?? deleted.failure ?? notDeleted.failure;
  const isComplete = found.isComplete && deleted.isComplete && notDeleted.isComplete;
  const orphanEvents = [...found.items, ...deleted.items, ...notDeleted.items]
    .map((event) => ({ event, at: event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '' }))
    .sort((a, b) => b.at.localeCompare(a.at))
    .slice(0, MAX_SHOWN);
  return (
    <section aria-labelledby="orphans-told">
      <h2 id="orphans-told" className="fw-op-section">
        {t('told.title')}
      </h2>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {orphanEvents.length === 0 ? (
        isComplete && <p className="fw-quiet">{t('told.none')}</p>
      ) : (
        <Table aria-label={t('told.label')} variant="compact" gridBreakPoint="grid-md">
          <Thead>
            <Tr>
              <Th width={10}>{t('told.when')}</Th>
              <Th width={20}>{t('told.object')}</Th>
              <Th width={15}>{t('told.reason')}</Th>
              <Th>{t('told.message')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {orphanEvents.map(({ event: { metadata, involvedObject, reason, message }, at }) => (
              <Tr key={metadata.uid}>
                <Td dataLabel={t('told.when')}>
                  <RelativeTime at={at} />
                </Td>
                <Td dataLabel={t('told.object')}>
                  {metadata.namespace}/{involvedObject?.name}
                </Td>
                <Td dataLabel={t('told.reason')}>{reason}</Td>
                <Td dataLabel={t('told.message')}>
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
