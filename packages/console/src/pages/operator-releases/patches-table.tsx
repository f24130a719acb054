import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { useState } from 'react';
import { useText } from '../../text/use-text.ts';
import type { PatchRow } from './patches.ts';
import { ReleaseDate } from './release-date.tsx';
import { releasesTexts } from './texts.ts';

/** Who runs which patch: those that are used and the newest, and the others when they are wanted. */
export function Patches({ minor, rows }: { readonly minor: string; readonly rows: readonly PatchRow[] }) {
  const say = useText(releasesTexts);
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? rows : rows.filter(({ clusters, state }) => clusters > 0 || state === 'newest');
  return (
    <div>
      <Table
        aria-label={say('patches.label', { minor })}
        variant="compact"
        gridBreakPoint=""
        borders={false}
        className="fw-op-numbers"
      >
        <Thead>
          <Tr>
            <Th>{say('patches.version')}</Th>
            <Th>{say('patches.clusters')}</Th>
            <Th>{say('patches.released')}</Th>
            <Th>{say('patches.state')}</Th>
          </Tr>
        </Thead>
        <Tbody>
          {shown.map(({ version, released, clusters, state }) => (
            <Tr key={version}>
              <Td>{version}</Td>
              <Td>{clusters}</Td>
              <Td>
                <ReleaseDate on={released} />
              </Td>
              <Td className={state === 'newest' || state === 'offered' ? 'fw-quiet' : ''}>{say(`patch.${state}`)}</Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
      {rows.length > shown.length || isWhole ? (
        <Button variant="link" size="sm" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? say('patches.fewer') : say('patches.all', { count: rows.length })}
        </Button>
      ) : null}
    </div>
  );
}
