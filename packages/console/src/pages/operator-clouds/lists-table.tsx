import { ExpandableSection } from '@patternfly/react-core/dist/esm/components/ExpandableSection';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { useText } from '../../text/use-text.ts';
import type { ListAge } from './cloud-reading.ts';
import { cloudsTexts } from './texts.ts';

/** The age of the lists that controllers read; collapsed unless a list has failed. */
export function ListsTable({ cloud, lists }: { readonly cloud: string; readonly lists: readonly ListAge[] }) {
  const t = useText(cloudsTexts);
  return (
    <ExpandableSection toggleText={t('lists.title')} isIndented>
      <Table
        aria-label={t('lists.label', { cloud })}
        variant="compact"
        gridBreakPoint="grid-md"
        className="fw-op-numbers"
      >
        <Thead>
          <Tr>
            <Th>{t('lists.resource')}</Th>
            <Th>{t('lists.age')}</Th>
            <Th>{t('lists.failing')}</Th>
          </Tr>
        </Thead>
        <Tbody>
          {lists.map(({ resource, ageSeconds, failing }) => (
            <Tr key={resource}>
              <Td dataLabel={t('lists.resource')}>{resource}</Td>
              <Td dataLabel={t('lists.age')}>{t('seconds', { count: Math.round(ageSeconds) })}</Td>
              <Td dataLabel={t('lists.failing')}>
                <span className={failing > 0 ? 'fw-op-bad' : undefined}>{failing}</span>
              </Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
    </ExpandableSection>
  );
}
