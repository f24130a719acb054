import type { ClusterVolume } from '@fairway/api/kinds/cloud-resources-request';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { StateLabel } from '../../app/state-label.tsx';
import { plainName } from '../../text/plain.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { useText } from '../../text/use-text.ts';
import { volumeState } from './cloud-state.ts';
import { cloudTexts } from './cloud-texts.ts';
import { Owner } from './load-balancers-table.tsx';

export interface VolumesTableProps {
  readonly volumes: readonly ClusterVolume[];
  readonly labelledBy: string;
}

export function VolumesTable({ volumes, labelledBy }: VolumesTableProps) {
  const t = useText(cloudTexts);
  return (
    <Table aria-labelledby={labelledBy} variant="compact">
      <Thead>
        <Tr>
          {(['owner', 'size', 'type', 'state', 'attached', 'since'] as const).map((column) => (
            <Th key={column}>{t(`column.${column}`)}</Th>
          ))}
        </Tr>
      </Thead>
      <Tbody>
        {volumes.map((volume) => (
          <VolumeRow key={volume.id} volume={volume} />
        ))}
      </Tbody>
    </Table>
  );
}

function VolumeRow({ volume }: { readonly volume: ClusterVolume }) {
  const t = useText(cloudTexts);
  const { id, name = id, owner, sizeGiB, type, zone, status, machines, elsewhere, createdAt } = volume;
  const state = volumeState(volume);
  const attached = [...machines, ...(elsewhere === undefined ? [] : [t('attached.elsewhere', { count: elsewhere })])];
  return (
    <Tr>
      <Td dataLabel={t('column.owner')} title={plainName(name)}>
        <Owner owner={owner} fallbackName={name} />
      </Td>
      <Td dataLabel={t('column.size')}>{sizeGiB} GiB</Td>
      <Td dataLabel={t('column.type')}>
        {plainName(type ?? '–')}
        {zone !== undefined && <div className="fw-quiet">{plainName(zone)}</div>}
      </Td>
      <Td dataLabel={t('column.state')}>
        <StateLabel state={state}>{t(`state.${state}`)}</StateLabel>
        <div className="fw-quiet">{plainName(status)}</div>
      </Td>
      <Td dataLabel={t('column.attached')}>
        {attached.length === 0 ? <span className="fw-quiet">{t('attached.none')}</span> : attached.join(', ')}
      </Td>
      <Td dataLabel={t('column.since')}>
        <RelativeTime at={createdAt} />
      </Td>
    </Tr>
  );
}
