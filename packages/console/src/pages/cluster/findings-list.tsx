import type { ActionRequiredBy } from '@fairway/api/conditions';
import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { useDuration } from '../../text/relative-time.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import type { Finding } from './findings.ts';
import { clusterTexts } from './texts.ts';

const VARIANTS: Readonly<Record<ActionRequiredBy, 'danger' | 'warning' | 'info'>> = {
  user: 'danger',
  operator: 'warning',
  cloud: 'warning',
  fairway: 'info',
};
const ACTORS: readonly ActionRequiredBy[] = ['user', 'operator', 'cloud', 'fairway'];
/** Additional findings of the same kind are only counted. */
const MAX_SHOWN = 5;
/** The time of an object that no controller has processed yet. */
const EPOCH = '1970';

/** Findings, grouped by who must act, with the server's messages. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const t = useText(clusterTexts);
  if (findings.length === 0) return null;
  return (
    <section className="fw-findings" aria-label={t('findings.title')}>
      {ACTORS.map((actor) => {
        const actorFindings = findings.filter((finding) => finding.turn === actor);
        if (actorFindings.length === 0) return null;
        return (
          <Alert key={actor} isInline variant={VARIANTS[actor]} title={t(`turn.${actor}`)} component="h2">
            <ul>
              {actorFindings.slice(0, MAX_SHOWN).map((finding) => (
                <FindingItem key={`${finding.about} ${finding.type} ${finding.message}`} finding={finding} />
              ))}
              {actorFindings.length > MAX_SHOWN && <li>+{actorFindings.length - MAX_SHOWN}</li>}
            </ul>
          </Alert>
        );
      })}
    </section>
  );
}

function FindingItem({ finding: { about, message, since } }: { readonly finding: Finding }) {
  const t = useText(clusterTexts);
  const duration = useDuration(since);
  return (
    <li>
      {about !== undefined && <strong>{about}: </strong>}
      <ServerText text={message} />
      {!since.startsWith(EPOCH) && <span className="fw-quiet"> {t('since', { duration })}</span>}
    </li>
  );
}
