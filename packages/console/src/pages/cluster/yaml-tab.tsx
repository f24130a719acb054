import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Checkbox } from '@patternfly/react-core/dist/esm/components/Checkbox';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { useState } from 'react';
import { clusters, machines as machineResource, nodePools, type Resource, type Stored } from '../../api/resources.ts';
import { Copyable } from '../../cluster/copyable.tsx';
import { editable, readable } from '../../cluster/edited-object.ts';
import { Field } from '../../cluster/field.tsx';
import { yamlOf } from '../../cluster/yaml.ts';
import { useText } from '../../text/use-text.ts';
import type { TabProps } from './tab.ts';
import { YamlEditor } from './yaml-editor.tsx';
import { yamlTexts } from './yaml-texts.ts';

interface Entry {
  readonly resource: Resource<Stored>;
  readonly object: Stored;
  readonly isEditable: boolean;
}

/** Every object of the cluster as YAML. */
export function YamlTab({ cluster, pools = [], machines = [] }: TabProps) {
  const say = useText(yamlTexts);
  const [chosen, setChosen] = useState<string>();
  const [withStatus, setWithStatus] = useState(false);
  const [editing, setEditing] = useState<string>();
  const [isSaved, setIsSaved] = useState(false);
  const entries = new Map(
    [
      entry(clusters, cluster, true),
      ...pools.map((pool) => entry(nodePools, pool, true)),
      ...machines.map((machine) => entry(machineResource, machine, false)),
    ].map((each) => [`${each.resource.kind} ${each.object.metadata.name}`, each]),
  );
  const key = chosen !== undefined && entries.has(chosen) ? chosen : `Cluster ${cluster.metadata.name}`;
  const { resource, object, isEditable } = entries.get(key) ?? entry(clusters, cluster, true);
  const title = say('text', { kind: resource.kind, name: object.metadata.name ?? '' });
  if (editing === key) {
    return (
      <YamlEditor
        resource={resource}
        stored={object}
        onDone={(hasSaved) => {
          setIsSaved(hasSaved);
          setEditing(undefined);
        }}
      />
    );
  }
  return (
    <section className="fw-panel">
      <div className="fw-row fw-row-end">
        <Field id="yaml-object" label={say('object')}>
          {(input) => (
            <FormSelect
              {...input}
              value={key}
              onChange={(_event, next) => {
                setIsSaved(false);
                setChosen(next);
              }}
            >
              {[...entries.keys()].map((each) => (
                <FormSelectOption key={each} value={each} label={each} />
              ))}
            </FormSelect>
          )}
        </Field>
        <Checkbox
          id="with-status"
          label={say('status')}
          isChecked={withStatus}
          onChange={(_event, isChecked) => setWithStatus(isChecked)}
        />
        {isEditable && (
          <Button variant="secondary" onClick={() => setEditing(key)}>
            {say('edit')}
          </Button>
        )}
      </div>
      <p role="status">{isSaved ? say('saved') : ''}</p>
      <Copyable label={title} text={yamlOf(withStatus ? readable(object) : editable(object))} isTall />
    </section>
  );
}

function entry<T extends Stored>(resource: Resource<T>, object: T, isEditable: boolean): Entry {
  return { resource: resource as unknown as Resource<Stored>, object, isEditable };
}
