import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { TextInput } from '@patternfly/react-core/dist/esm/components/TextInput';
import { useState } from 'react';
import { Choice } from '../../cluster/choice.tsx';
import type { ClusterSpec } from '../../cluster/draft.ts';
import { Field } from '../../cluster/field.tsx';
import { plainName } from '../../text/plain.ts';
import { useText } from '../../text/use-text.ts';
import { NetworkDrawing } from './network-drawing.tsx';
import { newClusterTexts } from './texts.ts';

type NetworkSpec = NonNullable<ClusterSpec['network']>;

export interface NetworkSectionProps {
  readonly spec: NetworkSpec;
  /** Undefined while they are not known. */
  readonly networks: CloudProfileStatus['networks'] | undefined;
  /** Of the plan. */
  readonly nodesCIDR: string | undefined;
  readonly nodes: number;
  readonly problemsAt: (...fields: readonly string[]) => readonly string[];
  readonly onChange: (spec: NetworkSpec) => void;
}

/** Where the nodes are: in a network that is made for them, or in one that there is. */
export function NetworkSection({ spec, networks, nodesCIDR, nodes, problemsAt, onChange }: NetworkSectionProps) {
  const say = useText(newClusterTexts);
  // Before one has been chosen, there is nothing to write.
  const [wantsExisting, setWantsExisting] = useState(spec.networkID !== undefined);
  const network = networks?.find(({ id }) => id === spec.networkID);
  const subnet = network?.subnets.find(({ id }) => id === spec.subnetID) ?? network?.subnets[0];
  return (
    <>
      <Choice
        name="network"
        label={say('network')}
        value={wantsExisting ? 'existing' : 'own'}
        options={[
          { value: 'own', title: say('network.own'), body: say('network.own.body') },
          { value: 'existing', title: say('network.existing'), body: say('network.existing.body') },
        ]}
        onChange={(kind) => {
          setWantsExisting(kind === 'existing');
          onChange({});
        }}
      />
      {wantsExisting ? (
        <div className="fw-row">
          <Field
            id="network-id"
            label={say('network.which')}
            isRequired
            help={
              networks === undefined ? say('network.unknown') : networks.length === 0 ? say('network.none') : undefined
            }
            problems={problemsAt('spec.network.networkID')}
          >
            {(input) => (
              <FormSelect
                {...input}
                value={spec.networkID ?? ''}
                onChange={(_event, id) => onChange(id === '' ? {} : { networkID: id })}
              >
                <FormSelectOption value="" label={say('network.choose')} />
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
            <Field id="subnet-id" label={say('network.subnet')} problems={problemsAt('spec.network.subnetID')}>
              {(input) => (
                <FormSelect
                  {...input}
                  value={spec.subnetID ?? ''}
                  onChange={(_event, id) => onChange({ ...spec, subnetID: id === '' ? undefined : id })}
                >
                  <FormSelectOption value="" label={say('network.onlySubnet')} />
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
          label={say('network.cidr')}
          help={nodesCIDR && say('network.cidr.help', { cidr: nodesCIDR })}
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
        cidr={wantsExisting ? (subnet?.cidr ?? '…') : (spec.nodesCIDR ?? nodesCIDR ?? '…')}
        isExisting={wantsExisting}
        nodes={nodes}
      />
    </>
  );
}
