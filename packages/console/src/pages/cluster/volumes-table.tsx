import type { ClusterVolume } from '@fairway/api/kinds/cloud-resources-request';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { StateLabel } from '../../app/state-label.tsx';
import { plainName } from '../../text/plain.ts';
import { useText } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import { volumeState } from './cloud-state.ts';
import { cloudTexts } from './cloud-texts.ts';
import { Owner } from './load-balancers-table.tsx';

export interface VolumesTableProps {
  readonly volumes: readonly ClusterVolume[];
  readonly labelledBy: string;
}

export function VolumesTable({ volumes, labelledBy }: VolumesTableProps) {
  const say = useText(cloudTexts);
  return (
    <Table aria-labelledby={labelledBy} variant="compact">
      <Thead>
        <Tr>
          {(['owner', 'size', 'type', 'state', 'attached', 'since'] as const).map((column) => (
            <Th key={column}>{say(`column.${column}`)}</Th>
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
  const say = useText(cloudTexts);
  const { id, name = id, owner, sizeGiB, type, zone, status, machines, elsewhere, createdAt } = volume;
  const state = volumeState(volume);
  const attached = [...machines, ...(elsewhere === undefined ? [] : [say('attached.elsewhere', { count: elsewhere })])];
  return (
    <Tr>
      <Td dataLabel={say('column.owner')} title={plainName(name)}>
        <Owner owner={owner} otherwise={name} />
      </Td>
      <Td dataLabel={say('column.size')}>{sizeGiB} GiB</Td>
      <Td dataLabel={say('column.type')}>
        {plainName(type ?? '–')}
        {zone !== undefined && <div className="fw-quiet">{plainName(zone)}</div>}
      </Td>
      <Td dataLabel={say('column.state')}>
        <StateLabel state={state}>{say(`state.${state}`)}</StateLabel>
        <div className="fw-quiet">{plainName(status)}</div>
      </Td>
      <Td dataLabel={say('column.attached')}>
        {attached.length === 0 ? <span className="fw-quiet">{say('attached.none')}</span> : attached.join(', ')}
      </Td>
      <Td dataLabel={say('column.since')}>
        <When at={createdAt} />
      </Td>
    </Tr>
  );
}
