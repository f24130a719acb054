import type { CloudResourceOwner, ClusterLoadBalancer } from '@fairway/api/kinds/cloud-resources-request';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { StateLabel } from '../../app/state-label.tsx';
import { plainName } from '../../text/plain.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { useText } from '../../text/use-text.ts';
import { loadBalancerState } from './cloud-state.ts';
import { cloudTexts } from './cloud-texts.ts';

export interface LoadBalancersTableProps {
  readonly loadBalancers: readonly ClusterLoadBalancer[];
  readonly labelledBy: string;
}

export function LoadBalancersTable({ loadBalancers, labelledBy }: LoadBalancersTableProps) {
  const t = useText(cloudTexts);
  return (
    <Table aria-labelledby={labelledBy} variant="compact">
      <Thead>
        <Tr>
          {(['owner', 'address', 'state', 'listeners', 'provider', 'since'] as const).map((column) => (
            <Th key={column}>{t(`column.${column}`)}</Th>
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
  const t = useText(cloudTexts);
  const { id, name = id, owner, address, floatingAddress, provider, listeners, createdAt, isShared } = loadBalancer;
  const { provisioningStatus, operatingStatus } = loadBalancer;
  const state = loadBalancerState(loadBalancer);
  return (
    <Tr>
      <Td dataLabel={t('column.owner')} title={plainName(name)}>
        {isShared ? t('owner.shared') : <Owner owner={owner} fallbackName={name} />}
      </Td>
      <Td dataLabel={t('column.address')}>
        {floatingAddress ?? address}
        {floatingAddress !== undefined && <div className="fw-quiet">{address}</div>}
      </Td>
      <Td dataLabel={t('column.state')}>
        <StateLabel state={state}>{t(`state.${state}`)}</StateLabel>
        <div className="fw-quiet">{plainName([provisioningStatus, operatingStatus].filter(Boolean).join(' · '))}</div>
      </Td>
      <Td dataLabel={t('column.listeners')}>
        <ul className="fw-plain">
          {listeners.map(({ protocol, port, members, operatingStatus: operatingState }) => (
            <li key={`${protocol} ${port}`}>
              {members === undefined
                ? t('listener', { protocol, port: String(port) })
                : t('listener.members', { protocol, port: String(port), count: members })}
              {operatingState !== undefined && operatingState !== 'ONLINE' && (
                <span className="fw-quiet"> · {operatingState}</span>
              )}
            </li>
          ))}
        </ul>
      </Td>
      <Td dataLabel={t('column.provider')}>{plainName(provider ?? '–')}</Td>
      <Td dataLabel={t('column.since')}>
        <RelativeTime at={createdAt} />
      </Td>
    </Tr>
  );
}

/** The object in the cluster that owns a load balancer. */
export function Owner({
  owner,
  fallbackName,
}: {
  readonly owner: CloudResourceOwner | undefined;
  readonly fallbackName: string;
}) {
  if (owner?.name === undefined) return <span className="fw-name">{plainName(fallbackName)}</span>;
  return (
    <>
      <span className="fw-name">{plainName(`${owner.namespace}/${owner.name}`)}</span>
      <div className="fw-quiet">{owner.kind}</div>
    </>
  );
}
