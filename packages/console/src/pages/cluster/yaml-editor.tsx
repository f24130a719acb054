import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { TextArea } from '@patternfly/react-core/dist/esm/components/TextArea';
import { useState } from 'react';
import type { Failure } from '../../api/failure.ts';
import { request } from '../../api/request.ts';
import { pathOf, type Resource, type Stored } from '../../api/resources.ts';
import { change } from '../../api/write.ts';
import { Diff } from '../../cluster/diff.tsx';
import { NOTHING_SAID, tryChange } from '../../cluster/dry-run.ts';
import { editable, isSameObject } from '../../cluster/edited-object.ts';
import { type Owner, ownersOf } from '../../cluster/field-owners.ts';
import { type DiffLine, hunks, lineDiff } from '../../cluster/line-diff.ts';
import { changedPaths, mergePatch } from '../../cluster/merge-patch.ts';
import { useWrite } from '../../cluster/use-write.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { readYaml, yamlOf } from '../../cluster/yaml.ts';
import { useDraft } from '../../session/drafts.ts';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { yamlTexts } from './yaml-texts.ts';

const OWN_MANAGER = 'fairway-console';

/** What would be written, as the API answers. */
interface Preview {
  readonly patch: object;
  readonly lines: readonly (DiffLine | undefined)[];
  readonly owners: readonly Owner[];
  readonly warnings: readonly string[];
}

export interface YamlEditorProps {
  readonly resource: Resource<Stored>;
  readonly stored: Stored;
  readonly onDone: (hasSaved: boolean) => void;
}

/**
 * Edits an object as text. Only what has been changed is written: all else stays whose it is. The difference that is shown is the server's own answer, and
 * what somebody else has written meanwhile is not overwritten: the object has to be the one that the difference was made from.
 */
export function YamlEditor({ resource, stored, onDone }: YamlEditorProps) {
  const say = useText(yamlTexts);
  const {
    value: { before, text },
    set,
    forget,
  } = useDraft(
    `yaml ${stored.metadata.uid}`,
    () => ({ before: editable(stored), text: yamlOf(editable(stored)) }),
    (edited) => edited.text !== yamlOf(edited.before),
  );
  const [problems, setProblems] = useState<{ readonly title: string; readonly said: readonly string[] }>();
  const [preview, setPreview] = useState<Preview>();
  const { run, isRunning, failure } = useWrite();
  const { namespace, name = '' } = stored.metadata;
  const isConflict = failure?.code === 409;

  const look = () =>
    run(async () => {
      setProblems(undefined);
      const read = readYaml(text);
      if (!read.ok) return setProblems({ title: say('problem.yaml'), said: [read.problem] });
      if (!isSameObject(before, read.value)) {
        return setProblems({ title: say('problem.kind', { kind: resource.kind, name }), said: [] });
      }
      const changes = mergePatch(before, read.value);
      if (changes === undefined) return setProblems({ title: say('problem.none'), said: [] });
      // As it is now: what others have changed since is no part of the difference.
      const current = await request<Stored>(pathOf(resource, namespace, name));
      const patch = withVersion(changes, current);
      const result = await tryChange(resource, { namespace, name }, patch, new AbortController().signal);
      if (result.failure !== undefined) throw result.failure;
      if (result.problems.size > 0) {
        const said = [...result.problems].flatMap(([field, each]) =>
          each.map((words) => (field === '' ? words : `${field}: ${words}`)),
        );
        return setProblems({ title: say('problem.server'), said });
      }
      const after = result.object ?? current;
      const { managedFields = [] } = current.metadata;
      setPreview({
        patch,
        lines: hunks(lineDiff(yamlOf(editable(current)), yamlOf(editable(after)))),
        owners: ownersOf(managedFields, changedPaths(changes), OWN_MANAGER),
        warnings: (result ?? NOTHING_SAID).warnings,
      });
    });
  const save = async (patch: object) => {
    if (!(await run(() => change(resource, stored, patch)))) return;
    forget();
    onDone(true);
  };

  if (preview !== undefined) {
    return (
      <section className="fw-panel">
        <h2>{say('diff.title')}</h2>
        <Diff lines={preview.lines} />
        <Owners owners={preview.owners} />
        {preview.warnings.length > 0 && (
          <Alert isInline variant="warning" title={say('warnings')}>
            {preview.warnings.map((warning) => (
              <p key={warning}>
                <ServerText text={warning} />
              </p>
            ))}
          </Alert>
        )}
        {isConflict ? <Conflict failure={failure} /> : <WriteFailure failure={failure} />}
        <div className="fw-actions">
          {isConflict ? (
            <Button isDisabled={isRunning} onClick={() => void look()}>
              {say('preview')}
            </Button>
          ) : (
            <Button isLoading={isRunning} isDisabled={isRunning} onClick={() => void save(preview.patch)}>
              {say('save')}
            </Button>
          )}
          <Button variant="link" onClick={() => setPreview(undefined)}>
            {say('back')}
          </Button>
        </div>
      </section>
    );
  }
  return (
    <section className="fw-panel">
      <p className="fw-quiet">{say('editing.help')}</p>
      <TextArea
        className="fw-editor"
        aria-label={say('text', { kind: resource.kind, name })}
        aria-describedby="editor-problems"
        value={text}
        rows={Math.min(40, text.split('\n').length + 2)}
        spellCheck={false}
        autoCapitalize="none"
        autoFocus
        onChange={(_event, next) => set((now) => ({ ...now, text: next }))}
      />
      <div id="editor-problems">
        {problems !== undefined && (
          <Alert isInline isLiveRegion variant="danger" title={problems.title}>
            {problems.said.map((words) => (
              <p key={words} className="fw-words">
                <ServerText text={words} />
              </p>
            ))}
          </Alert>
        )}
        <WriteFailure failure={failure} />
      </div>
      <div className="fw-actions">
        <Button isLoading={isRunning} isDisabled={isRunning} onClick={() => void look()}>
          {say('preview')}
        </Button>
        <Button
          variant="link"
          onClick={() => {
            forget();
            onDone(false);
          }}
        >
          {say('cancel')}
        </Button>
      </div>
    </section>
  );
}

/** With the version that it is made for: of another one, the API says that there is a conflict. */
function withVersion(changes: Record<string, unknown>, { metadata: { resourceVersion } }: Stored): object {
  return { ...changes, metadata: { ...(changes['metadata'] as object | undefined), resourceVersion } };
}

function Owners({ owners }: { readonly owners: readonly Owner[] }) {
  const say = useText(yamlTexts);
  if (owners.length === 0) return null;
  const isApplied = owners.some((owner) => owner.isApplied);
  return (
    <Alert isInline variant={isApplied ? 'warning' : 'info'} title={say('owner.title')}>
      <ul>
        {owners.map(({ field, manager, isApplied: isAgain }) => (
          <li key={`${manager} ${field}`}>{say(isAgain ? 'owner.applied' : 'owner.wrote', { field, manager })}</li>
        ))}
      </ul>
    </Alert>
  );
}

function Conflict({ failure }: { readonly failure: Failure }) {
  const say = useText(yamlTexts);
  return (
    <Alert isInline isLiveRegion variant="warning" title={say('conflict.title')}>
      <p>{say('conflict.body')}</p>
      <p className="fw-quiet">
        <ServerText text={failure.message} />
      </p>
    </Alert>
  );
}
