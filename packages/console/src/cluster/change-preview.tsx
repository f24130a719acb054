import { ExpandableSection } from '@patternfly/react-core/dist/esm/components/ExpandableSection';
import { useState } from 'react';
import type { Resource, Stored } from '../api/resources.ts';
import { useText } from '../text/use-text.ts';
import { Copyable } from './copyable.tsx';
import { Diff } from './diff.tsx';
import { diffTexts } from './diff-texts.ts';
import type { DryRunResult } from './dry-run.ts';
import { hunks, lineDiff } from './line-diff.ts';
import type { Asked } from './use-dry-run.ts';
import { yamlOf } from './yaml.ts';

export interface ChangePreviewProps<T extends Stored> {
  readonly resource: Resource<T>;
  readonly stored: T;
  /** As it would be stored; undefined without a change. */
  readonly patch: object | undefined;
  readonly asked: Asked<DryRunResult>;
}

/** The change that a form would make, as the server's dry run returns it in YAML, and the equivalent command. */
export function ChangePreview<T extends Stored>({ resource, stored, patch, asked }: ChangePreviewProps<T>) {
  const say = useText(diffTexts);
  const [isExpanded, setIsExpanded] = useState(false);
  const after = asked.isAsking ? undefined : asked.result?.object;
  if (patch === undefined || after === undefined) return null;
  return (
    <div className="fw-change">
      <strong>{say('title')}</strong>
      <Diff lines={hunks(lineDiff(specOf(stored), specOf(after)))} />
      <ExpandableSection
        toggleText={say('kubectl')}
        isExpanded={isExpanded}
        onToggle={(_event, next) => setIsExpanded(next)}
      >
        {isExpanded && <Copyable label={say('command')} text={commandOf(resource, stored, patch)} />}
      </ExpandableSection>
    </div>
  );
}

/** Forms change only the spec. */
function specOf(object: Stored): string {
  const { spec } = object as Stored & { readonly spec?: unknown };
  return yamlOf({ spec });
}

function commandOf(resource: Pick<Resource<Stored>, 'kind'>, { metadata }: Stored, patch: object): string {
  const json = JSON.stringify(patch).replaceAll("'", String.raw`'\''`);
  return `kubectl -n ${metadata.namespace} patch ${resource.kind.toLowerCase()} ${metadata.name} --type merge -p '${json}'`;
}
