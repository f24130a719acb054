import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Checkbox } from '@patternfly/react-core/dist/esm/components/Checkbox';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { useState } from 'react';
import {
  clusters,
  machines as machineResource,
  nodePools,
  type Resource,
  type StoredObject,
} from '../../api/resources.ts';
import { Copyable } from '../../cluster/copyable.tsx';
import { editableObject, readableMetadata } from '../../cluster/edited-object.ts';
import { Field } from '../../cluster/field.tsx';
import { yamlOf } from '../../cluster/yaml.ts';
import { useText } from '../../text/use-text.ts';
import type { TabProps } from './tab.ts';
import { YamlEditor } from './yaml-editor.tsx';
import { yamlTexts } from './yaml-texts.ts';

interface Entry {
  readonly resource: Resource<StoredObject>;
  readonly object: StoredObject;
  readonly isEditable: boolean;
}

/** All of the cluster's objects as YAML. */
export function YamlTab({ cluster, pools = [], machines = [] }: TabProps) {
  const t = useText(yamlTexts);
  const [chosen, setSelectedKey] = useState<string>();
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
  const title = t('text', { kind: resource.kind, name: object.metadata.name ?? '' });
  if (editing === key) {
    return (
      <YamlEditor
        resource={resource}
        stored={object}
        onDone={(wasSaved) => {
          setIsSaved(wasSaved);
          setEditing(undefined);
        }}
      />
    );
  }
  return (
    <section className="fw-panel">
      <div className="fw-row fw-row-end">
        <Field id="yaml-object" label={t('object')}>
          {(input) => (
            <FormSelect
              {...input}
              value={key}
              onChange={(_event, next) => {
                setIsSaved(false);
                setSelectedKey(next);
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
          label={t('status')}
          isChecked={withStatus}
          onChange={(_event, isChecked) => setWithStatus(isChecked)}
        />
        {isEditable && (
          <Button variant="secondary" onClick={() => setEditing(key)}>
            {t('edit')}
          </Button>
        )}
      </div>
      <p role="status">{isSaved ? t('saved') : ''}</p>
      <Copyable label={title} text={yamlOf(withStatus ? readableMetadata(object) : editableObject(object))} isTall />
    </section>
  );
}

function entry<T extends StoredObject>(resource: Resource<T>, object: T, isEditable: boolean): Entry {
  return { resource: resource as unknown as Resource<StoredObject>, object, isEditable };
}
