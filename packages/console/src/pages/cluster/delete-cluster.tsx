import type { Cluster } from '@fairway/api/kinds/cluster';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Form, FormGroup } from '@patternfly/react-core/dist/esm/components/Form';
import { ModalBody, ModalFooter, ModalHeader } from '@patternfly/react-core/dist/esm/components/Modal';
import { TextInput } from '@patternfly/react-core/dist/esm/components/TextInput';
import { useState } from 'react';
import { clusters } from '../../api/resources.ts';
import { remove } from '../../api/write.ts';
import { Dialog } from '../../app/dialog.tsx';
import { useWrite } from '../../cluster/use-write.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { useText } from '../../text/use-text.ts';
import { clusterTexts } from './texts.ts';

/** Asks for the name, so that nobody deletes another cluster than he thinks. */
export function DeleteCluster({ cluster, onClose }: { readonly cluster: Cluster; readonly onClose: () => void }) {
  const say = useText(clusterTexts);
  const [typed, setTyped] = useState('');
  const { run, isRunning, failure } = useWrite();
  const { name = '' } = cluster.metadata;
  const isConfirmed = typed === name;
  const submit = async () => {
    if (isConfirmed && (await run(() => remove(clusters, cluster)))) onClose();
  };
  return (
    <Dialog onClose={onClose} aria-labelledby="delete-title" aria-describedby="delete-body">
      <ModalHeader title={say('delete.title', { name })} labelId="delete-title" titleIconVariant="warning" />
      <ModalBody id="delete-body">
        <p>{say('delete.body')}</p>
        <Form
          id="delete-form"
          className="fw-delete"
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <FormGroup label={say('delete.type', { name })} fieldId="delete-name">
            <TextInput
              id="delete-name"
              value={typed}
              autoFocus
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              onChange={(_event, next) => setTyped(next)}
            />
          </FormGroup>
          <WriteFailure failure={failure} />
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button
          variant="danger"
          type="submit"
          form="delete-form"
          isDisabled={!isConfirmed || isRunning}
          isLoading={isRunning}
        >
          {say('delete.do')}
        </Button>
        <Button variant="link" onClick={onClose}>
          {say('delete.cancel')}
        </Button>
      </ModalFooter>
    </Dialog>
  );
}
