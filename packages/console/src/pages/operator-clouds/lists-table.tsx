import { ExpandableSection } from '@patternfly/react-core/dist/esm/components/ExpandableSection';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { useText } from '../../text/use-text.ts';
import type { ListAge } from './cloud-reading.ts';
import { cloudsTexts } from './texts.ts';

/** How old what controllers read of a cloud is: asked for when wanted, open when something fails. */
export function ListsTable({ cloud, lists }: { readonly cloud: string; readonly lists: readonly ListAge[] }) {
  const say = useText(cloudsTexts);
  return (
    <ExpandableSection toggleText={say('lists.title')} isIndented>
      <Table
        aria-label={say('lists.label', { cloud })}
        variant="compact"
        gridBreakPoint="grid-md"
        className="fw-op-numbers"
      >
        <Thead>
          <Tr>
            <Th>{say('lists.resource')}</Th>
            <Th>{say('lists.age')}</Th>
            <Th>{say('lists.failing')}</Th>
          </Tr>
        </Thead>
        <Tbody>
          {lists.map(({ resource, ageSeconds, failing }) => (
            <Tr key={resource}>
              <Td dataLabel={say('lists.resource')}>{resource}</Td>
              <Td dataLabel={say('lists.age')}>{say('seconds', { count: Math.round(ageSeconds) })}</Td>
              <Td dataLabel={say('lists.failing')}>
                <span className={failing > 0 ? 'fw-op-bad' : undefined}>{failing}</span>
              </Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
    </ExpandableSection>
  );
}
