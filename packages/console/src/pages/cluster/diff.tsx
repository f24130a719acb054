import type { DiffLine } from '../../cluster/line-diff.ts';
import { useText } from '../../text/use-text.ts';
import { yamlTexts } from './yaml-texts.ts';

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

/** Lines that come and go, by sign and colour; screen readers are told by word. */
export function Diff({ lines }: { readonly lines: readonly (DiffLine | undefined)[] }) {
  const say = useText(yamlTexts);
  return (
    <div className="fw-diff" role="region" aria-label={say('diff.title')} tabIndex={0}>
      {lines.map((line, index) =>
        line === undefined ? (
          <div key={`gap ${index}`} className="fw-diff-gap">
            ⋯ <span className="fw-visually-hidden">{say('diff.more')}</span>
          </div>
        ) : (
          <div key={`${index} ${line.text}`} className={`fw-diff-${line.kind}`}>
            <span aria-hidden="true">{SIGNS[line.kind]}</span>
            {line.kind !== 'same' && <span className="fw-visually-hidden">{say(line.kind)}: </span>}
            {line.text}
          </div>
        ),
      )}
    </div>
  );
}
