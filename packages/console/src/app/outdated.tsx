import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { useConnection } from '../api/connection.ts';
import type { Failure } from '../api/failure.ts';
import { useLocale } from '../text/settings.ts';
import { isoOf, shortTime } from '../text/time.ts';
import { useText } from '../text/use-text.ts';
import { failureKind } from './failure-kind.ts';
import { knowledgeTexts } from './knowledge-texts.ts';

/** The state of some data, and why they are not current. */
export interface Source {
  readonly isComplete: boolean;
  readonly failure: Failure | undefined;
  readonly asOfMs: number | undefined;
}

/** Says whether a page's data are outdated or unknown, since when, and why; empty while they are current. */
export function Outdated({ of }: { readonly of: readonly Source[] }) {
  const say = useText(knowledgeTexts);
  const locale = useLocale();
  const connection = useConnection();
  const failed = of.filter(({ failure }) => failure !== undefined);
  const failure = failed[0]?.failure;
  if (failure === undefined) return null;
  const isKnown = failed.every(({ isComplete }) => isComplete);
  // The banner has the time for the whole page.
  if (isKnown && connection.state === 'lost') return null;
  const asOfMs = Math.min(...failed.flatMap((each) => each.asOfMs ?? []));
  const title =
    isKnown && Number.isFinite(asOfMs)
      ? say('outdated.asOf', { time: shortTime(isoOf(asOfMs), locale) })
      : say('outdated.partly');
  return (
    <Alert isInline variant="warning" title={title} component="p" className="fw-outdated">
      {say(`why.${failureKind(failure)}`)}{' '}
      <span className="fw-quiet">{failure.code === 0 ? '' : say('said', { message: failure.message })}</span>
    </Alert>
  );
}

/** A placeholder for unknown data. */
export function NotKnown() {
  const say = useText(knowledgeTexts);
  return <p className="fw-quiet">{say('unknown')}</p>;
}
