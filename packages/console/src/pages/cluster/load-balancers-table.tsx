import type { CloudResourceOwner, ClusterLoadBalancer } from '@fairway/api/kinds/cloud-resources-request';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { StateLabel } from '../../app/state-label.tsx';
import { plainName } from '../../text/plain.ts';
import { useText } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import { loadBalancerState } from './cloud-state.ts';
import { cloudTexts } from './cloud-texts.ts';

export interface LoadBalancersTableProps {
  readonly loadBalancers: readonly ClusterLoadBalancer[];
  readonly labelledBy: string;
}

export function LoadBalancersTable({ loadBalancers, labelledBy }: LoadBalancersTableProps) {
  const say = useText(cloudTexts);
  return (
    <Table aria-labelledby={labelledBy} variant="compact">
      <Thead>
        <Tr>
          {(['owner', 'address', 'state', 'listeners', 'provider', 'since'] as const).map((column) => (
            <Th key={column}>{say(`column.${column}`)}</Th>
          ))}
        </Tr>
      </Thead>
      <Tbody>
        {loadBalancers.map((each) => (
          <LoadBalancerRow key={each.id} loadBalancer={each} />
        ))}
      </Tbody>
    </Table>
  );
}

function LoadBalancerRow({ loadBalancer }: { readonly loadBalancer: ClusterLoadBalancer }) {
  const say = useText(cloudTexts);
  const { id, name = id, owner, address, floatingAddress, provider, listeners, createdAt, isShared } = loadBalancer;
  const { provisioningStatus, operatingStatus } = loadBalancer;
  const state = loadBalancerState(loadBalancer);
  return (
    <Tr>
      <Td dataLabel={say('column.owner')} title={plainName(name)}>
        {isShared ? say('owner.shared') : <Owner owner={owner} otherwise={name} />}
      </Td>
      <Td dataLabel={say('column.address')}>
        {floatingAddress ?? address}
        {floatingAddress !== undefined && <div className="fw-quiet">{address}</div>}
      </Td>
      <Td dataLabel={say('column.state')}>
        <StateLabel state={state}>{say(`state.${state}`)}</StateLabel>
        <div className="fw-quiet">{plainName([provisioningStatus, operatingStatus].filter(Boolean).join(' · '))}</div>
      </Td>
      <Td dataLabel={say('column.listeners')}>
        <ul className="fw-plain">
          {listeners.map(({ protocol, port, members, operatingStatus: told }) => (
            <li key={`${protocol} ${port}`}>
              {members === undefined
                ? say('listener', { protocol, port: String(port) })
                : say('listener.members', { protocol, port: String(port), count: members })}
              {told !== undefined && told !== 'ONLINE' && <span className="fw-quiet"> · {told}</span>}
            </li>
          ))}
        </ul>
      </Td>
      <Td dataLabel={say('column.provider')}>{plainName(provider ?? '–')}</Td>
      <Td dataLabel={say('column.since')}>
        <When at={createdAt} />
      </Td>
    </Tr>
  );
}

/** The object in the cluster that something was made for. */
export function Owner({
  owner,
  otherwise,
}: {
  readonly owner: CloudResourceOwner | undefined;
  readonly otherwise: string;
}) {
  if (owner?.name === undefined) return <span className="fw-name">{plainName(otherwise)}</span>;
  return (
    <>
      <span className="fw-name">{plainName(`${owner.namespace}/${owner.name}`)}</span>
      <div className="fw-quiet">{owner.kind}</div>
    </>
  );
}
