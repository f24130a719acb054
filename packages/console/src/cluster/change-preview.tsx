import { ExpandableSection } from '@patternfly/react-core/dist/esm/components/ExpandableSection';
import { useState } from 'react';
import type { Resource, StoredObject } from '../api/resources.ts';
import { useText } from '../text/use-text.ts';
import { Copyable } from './copyable.tsx';
import { Diff } from './diff.tsx';
import { diffTexts } from './diff-texts.ts';
import type { DryRunResult } from './dry-run.ts';
import { hunks, lineDiff } from './line-diff.ts';
import type { DryRunState } from './use-dry-run.ts';
import { yamlOf } from './yaml.ts';

export interface ChangePreviewProps<T extends StoredObject> {
  readonly resource: Resource<T>;
  readonly stored: T;
  /** The object as it would be stored; undefined if nothing changes. */
  readonly patch: object | undefined;
  readonly dryRun: DryRunState<DryRunResult>;
}

/** The change that a form would make, as the server's dry run returns it in YAML, and the equivalent command. */
export function ChangePreview<T extends StoredObject>({ resource, stored, patch, dryRun }: ChangePreviewProps<T>) {
  const t = useText(diffTexts);
  const [isExpanded, setIsExpanded] = useState(false);
  const after = dryRun.isAsking ? undefined : dryRun.result?.object;
  if (patch === undefined || after === undefined) return null;
  return (
    <div className="fw-change">
      <strong>{t('title')}</strong>
      <Diff lines={hunks(lineDiff(specOf(stored), specOf(after)))} />
      <ExpandableSection
        toggleText={t('kubectl')}
        isExpanded={isExpanded}
        onToggle={(_event, next) => setIsExpanded(next)}
      >
        {isExpanded && <Copyable label={t('command')} text={commandOf(resource, stored, patch)} />}
      </ExpandableSection>
    </div>
  );
}

/** Forms change only the spec. */
function specOf(object: StoredObject): string {
  const { spec } = object as StoredObject & { readonly spec?: unknown };
  return yamlOf({ spec });
}

function commandOf(resource: Pick<Resource<StoredObject>, 'kind'>, { metadata }: StoredObject, patch: object): string {
  const json = JSON.stringify(patch).replaceAll("'", String.raw`'\''`);
  return `kubectl -n ${metadata.namespace} patch ${resource.kind.toLowerCase()} ${metadata.name} --type merge -p '${json}'`;
}
