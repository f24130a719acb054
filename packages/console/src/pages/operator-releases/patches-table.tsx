import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { useState } from 'react';
import { useText } from '../../text/use-text.ts';
import type { PatchRow } from './patches.ts';
import { ReleaseDate } from './release-date.tsx';
import { releasesTexts } from './texts.ts';

/** Usage of each patch: the patches in use and the newest one; other patches on request. */
export function PatchesTable({ minor, rows }: { readonly minor: string; readonly rows: readonly PatchRow[] }) {
  const t = useText(releasesTexts);
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? rows : rows.filter(({ clusters, state }) => clusters > 0 || state === 'newest');
  return (
    <div>
      <Table
        aria-label={t('patches.label', { minor })}
        variant="compact"
        gridBreakPoint=""
        borders={false}
        className="fw-op-numbers"
      >
        <Thead>
          <Tr>
            <Th>{t('patches.version')}</Th>
            <Th>{t('patches.clusters')}</Th>
            <Th>{t('patches.released')}</Th>
            <Th>{t('patches.state')}</Th>
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
              <Td className={state === 'newest' || state === 'offered' ? 'fw-quiet' : ''}>{t(`patch.${state}`)}</Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
      {rows.length > shown.length || showsAll ? (
        <Button variant="link" size="sm" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? t('patches.fewer') : t('patches.all', { count: rows.length })}
        </Button>
      ) : null}
    </div>
  );
}
