import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { useConnection } from '../api/connection.ts';
import type { Failure } from '../api/failure.ts';
import { useLocale } from '../text/settings.ts';
import { isoOf, shortTime } from '../text/time.ts';
import { useText } from '../text/use-text.ts';
import { failureKind } from './failure-kind.ts';
import { knowledgeTexts } from './knowledge-texts.ts';

/** The state of some data, and why it is not current. */
export interface DataSource {
  readonly isComplete: boolean;
  readonly failure: Failure | undefined;
  readonly asOfMs: number | undefined;
}

/** Reports whether a page's data is outdated or unknown, for how long, and why; empty while the data is current. */
export function OutdatedNotice({ of }: { readonly of: readonly DataSource[] }) {
  const t = useText(knowledgeTexts);
  const locale = useLocale();
  const connection = useConnection();
  const failed = of.filter(({ failure }) => failure !== undefined);
  const failure = failed[0]?.failure;
  if (failure === undefined) return null;
  const isKnown = failed.every(({ isComplete }) => isComplete);
  // The banner shows the time for the whole page.
  if (isKnown && connection.state === 'lost') return null;
  const asOfMs = Math.min(...failed.flatMap((each) => each.asOfMs ?? []));
  const title =
    isKnown && Number.isFinite(asOfMs)
      ? t('outdated.asOf', { time: shortTime(isoOf(asOfMs), locale) })
      : t('outdated.partly');
  return (
    <Alert isInline variant="warning" title={title} component="p" className="fw-outdated">
      {t(`why.${failureKind(failure)}`)}{' '}
      <span className="fw-quiet">{failure.code === 0 ? '' : t('said', { message: failure.message })}</span>
    </Alert>
  );
}

/** A placeholder for unknown data. */
export function UnknownNotice() {
  const t = useText(knowledgeTexts);
  return <p className="fw-quiet">{t('unknown')}</p>;
}
