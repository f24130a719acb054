import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { TextArea } from '@patternfly/react-core/dist/esm/components/TextArea';
import { useState } from 'react';
import type { Failure } from '../../api/failure.ts';
import { request } from '../../api/request.ts';
import { pathOf, type Resource, type StoredObject } from '../../api/resources.ts';
import { change } from '../../api/write.ts';
import { Diff } from '../../cluster/diff.tsx';
import { dryRunPatch, EMPTY_RESULT } from '../../cluster/dry-run.ts';
import { editableObject, isSameObject } from '../../cluster/edited-object.ts';
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

/** The result of the write, according to the API. */
interface Preview {
  readonly patch: object;
  readonly lines: readonly (DiffLine | undefined)[];
  readonly owners: readonly Owner[];
  readonly warnings: readonly string[];
}

export interface YamlEditorProps {
  readonly resource: Resource<StoredObject>;
  readonly stored: StoredObject;
  readonly onDone: (hasSaved: boolean) => void;
}

/**
 * Edits an object as text. Only changed fields are written, so the other fields keep their owners. The displayed
 * difference is the result of the server's dry run. Concurrent changes are not overwritten: the write must apply to the
 * version of the object that the difference was computed from.
 */
export function YamlEditor({ resource, stored, onDone }: YamlEditorProps) {
  const t = useText(yamlTexts);
  const {
    value: { before, text },
    set,
    discard,
  } = useDraft(
    `yaml ${stored.metadata.uid}`,
    () => ({ before: editableObject(stored), text: yamlOf(editableObject(stored)) }),
    (edited) => edited.text !== yamlOf(edited.before),
  );
  const [problems, setProblems] = useState<{ readonly title: string; readonly messages: readonly string[] }>();
  const [preview, setPreview] = useState<Preview>();
  const { run, isRunning, failure } = useWrite();
  const { namespace, name = '' } = stored.metadata;
  const isConflict = failure?.code === 409;

  const showPreview = () =>
    run(async () => {
      setProblems(undefined);
      const read = readYaml(text);
      if (!read.ok) return setProblems({ title: t('problem.yaml'), messages: [read.problem] });
      if (!isSameObject(before, read.value)) {
        return setProblems({ title: t('problem.kind', { kind: resource.kind, name }), messages: [] });
      }
      const changes = mergePatch(before, read.value);
      if (changes === undefined) return setProblems({ title: t('problem.none'), messages: [] });
      // The current object, so that concurrent changes are not part of the difference.
      const current = await request<StoredObject>(pathOf(resource, namespace, name));
      const patch = withResourceVersion(changes, current);
      const result = await dryRunPatch(resource, { namespace, name }, patch, new AbortController().signal);
      if (result.failure !== undefined) throw result.failure;
      if (result.problems.size > 0) {
        const messages = [...result.problems].flatMap(([field, each]) =>
          each.map((words) => (field === '' ? words : `${field}: ${words}`)),
        );
        return setProblems({ title: t('problem.server'), messages });
      }
      const after = result.object ?? current;
      const { managedFields = [] } = current.metadata;
      setPreview({
        patch,
        lines: hunks(lineDiff(yamlOf(editableObject(current)), yamlOf(editableObject(after)))),
        owners: ownersOf(managedFields, changedPaths(changes), OWN_MANAGER),
        warnings: (result ?? EMPTY_RESULT).warnings,
      });
    });
  const save = async (patch: object) => {
    if (!(await run(() => change(resource, stored, patch)))) return;
    discard();
    onDone(true);
  };

  if (preview !== undefined) {
    return (
      <section className="fw-panel">
        <h2>{t('diff.title')}</h2>
        <Diff lines={preview.lines} />
        <Owners owners={preview.owners} />
        {preview.warnings.length > 0 && (
          <Alert isInline variant="warning" title={t('warnings')}>
            {preview.warnings.map((warning) => (
              <p key={warning}>
                <ServerText text={warning} />
              </p>
            ))}
          </Alert>
        )}
        {isConflict ? <ConflictNotice failure={failure} /> : <WriteFailure failure={failure} />}
        <div className="fw-actions">
          {isConflict ? (
            <Button isDisabled={isRunning} onClick={() => void showPreview()}>
              {t('preview')}
            </Button>
          ) : (
            <Button isLoading={isRunning} isDisabled={isRunning} onClick={() => void save(preview.patch)}>
              {t('save')}
            </Button>
          )}
          <Button variant="link" onClick={() => setPreview(undefined)}>
            {t('back')}
          </Button>
        </div>
      </section>
    );
  }
  return (
    <section className="fw-panel">
      <p className="fw-quiet">{t('editing.help')}</p>
      <TextArea
        className="fw-editor"
        aria-label={t('text', { kind: resource.kind, name })}
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
            {problems.messages.map((words) => (
              <p key={words} className="fw-words">
                <ServerText text={words} />
              </p>
            ))}
          </Alert>
        )}
        <WriteFailure failure={failure} />
      </div>
      <div className="fw-actions">
        <Button isLoading={isRunning} isDisabled={isRunning} onClick={() => void showPreview()}>
          {t('preview')}
        </Button>
        <Button
          variant="link"
          onClick={() => {
            discard();
            onDone(false);
          }}
        >
          {t('cancel')}
        </Button>
      </div>
    </section>
  );
}

/** Adds the resourceVersion that the patch is for. If the object has a different one, the API returns a conflict. */
function withResourceVersion(
  changes: Record<string, unknown>,
  { metadata: { resourceVersion } }: StoredObject,
): object {
  return { ...changes, metadata: { ...(changes['metadata'] as object | undefined), resourceVersion } };
}

function Owners({ owners }: { readonly owners: readonly Owner[] }) {
  const t = useText(yamlTexts);
  if (owners.length === 0) return null;
  const isApplied = owners.some((owner) => owner.isApplied);
  return (
    <Alert isInline variant={isApplied ? 'warning' : 'info'} title={t('owner.title')}>
      <ul>
        {owners.map(({ field, manager, isApplied: isRepeated }) => (
          <li key={`${manager} ${field}`}>{t(isRepeated ? 'owner.applied' : 'owner.wrote', { field, manager })}</li>
        ))}
      </ul>
    </Alert>
  );
}

function ConflictNotice({ failure }: { readonly failure: Failure }) {
  const t = useText(yamlTexts);
  return (
    <Alert isInline isLiveRegion variant="warning" title={t('conflict.title')}>
      <p>{t('conflict.body')}</p>
      <p className="fw-quiet">
        <ServerText text={failure.message} />
      </p>
    </Alert>
  );
}
