import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { TextInput } from '@patternfly/react-core/dist/esm/components/TextInput';
import { useState } from 'react';
import { RadioChoice } from '../../cluster/choice.tsx';
import type { ClusterSpec } from '../../cluster/draft.ts';
import { Field } from '../../cluster/field.tsx';
import { plainName } from '../../text/plain.ts';
import { useText } from '../../text/use-text.ts';
import { NetworkDrawing } from './network-drawing.tsx';
import { newClusterTexts } from './texts.ts';

type NetworkSpec = NonNullable<ClusterSpec['network']>;

export interface NetworkSectionProps {
  readonly spec: NetworkSpec;
  /** Undefined while unknown. */
  readonly networks: CloudProfileStatus['networks'] | undefined;
  /** The plan's default. */
  readonly nodesCIDR: string | undefined;
  readonly nodes: number;
  readonly problemsAt: (...fields: readonly string[]) => readonly string[];
  readonly onChange: (spec: NetworkSpec) => void;
}

/** The network of the nodes: a new one or an existing one. */
export function NetworkSection({ spec, networks, nodesCIDR, nodes, problemsAt, onChange }: NetworkSectionProps) {
  const t = useText(newClusterTexts);
  // Until a network is selected, the spec stays unchanged.
  const [usesExistingNetwork, setUsesExistingNetwork] = useState(spec.networkID !== undefined);
  const network = networks?.find(({ id }) => id === spec.networkID);
  const subnet = network?.subnets.find(({ id }) => id === spec.subnetID) ?? network?.subnets[0];
  return (
    <>
      <RadioChoice
        name="network"
        label={t('network')}
        value={usesExistingNetwork ? 'existing' : 'own'}
        options={[
          { value: 'own', title: t('network.own'), body: t('network.own.body') },
          { value: 'existing', title: t('network.existing'), body: t('network.existing.body') },
        ]}
        onChange={(kind) => {
          setUsesExistingNetwork(kind === 'existing');
          onChange({});
        }}
      />
      {usesExistingNetwork ? (
        <div className="fw-row">
          <Field
            id="network-id"
            label={t('network.which')}
            isRequired
            help={networks === undefined ? t('network.unknown') : networks.length === 0 ? t('network.none') : undefined}
            problems={problemsAt('spec.network.networkID')}
          >
            {(input) => (
              <FormSelect
                {...input}
                value={spec.networkID ?? ''}
                onChange={(_event, id) => onChange(id === '' ? {} : { networkID: id })}
              >
                <FormSelectOption value="" label={t('network.choose')} />
                {networks?.map(({ id, name, subnets }) => (
                  <FormSelectOption
                    key={id}
                    value={id}
                    label={`${plainName(name === '' ? id : name)} (${subnets.map(({ cidr }) => cidr).join(', ')})`}
                  />
                ))}
              </FormSelect>
            )}
          </Field>
          {network !== undefined && network.subnets.length > 1 && (
            <Field id="subnet-id" label={t('network.subnet')} problems={problemsAt('spec.network.subnetID')}>
              {(input) => (
                <FormSelect
                  {...input}
                  value={spec.subnetID ?? ''}
                  onChange={(_event, id) => onChange({ ...spec, subnetID: id === '' ? undefined : id })}
                >
                  <FormSelectOption value="" label={t('network.onlySubnet')} />
                  {network.subnets.map(({ id, name, cidr }) => (
                    <FormSelectOption key={id} value={id} label={`${plainName(name === '' ? id : name)} (${cidr})`} />
                  ))}
                </FormSelect>
              )}
            </Field>
          )}
        </div>
      ) : (
        <Field
          id="nodes-cidr"
          label={t('network.cidr')}
          help={nodesCIDR && t('network.cidr.help', { cidr: nodesCIDR })}
          problems={problemsAt('spec.network.nodesCIDR')}
        >
          {(input) => (
            <TextInput
              {...input}
              className="fw-short"
              value={spec.nodesCIDR ?? ''}
              placeholder={nodesCIDR ?? ''}
              autoCapitalize="none"
              spellCheck={false}
              onChange={(_event, cidr) => onChange({ ...spec, nodesCIDR: cidr === '' ? undefined : cidr })}
            />
          )}
        </Field>
      )}
      <NetworkDrawing
        cidr={usesExistingNetwork ? (subnet?.cidr ?? '…') : (spec.nodesCIDR ?? nodesCIDR ?? '…')}
        isExisting={usesExistingNetwork}
        nodes={nodes}
      />
    </>
  );
}
