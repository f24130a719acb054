import type { ActionRequiredBy } from '@fairway/api/conditions';
import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { useDuration } from '../../text/when.tsx';
import type { Finding } from './findings.ts';
import { clusterTexts } from './texts.ts';

const VARIANTS: Readonly<Record<ActionRequiredBy, 'danger' | 'warning' | 'info'>> = {
  user: 'danger',
  operator: 'warning',
  cloud: 'warning',
  fairway: 'info',
};
const TURNS: readonly ActionRequiredBy[] = ['user', 'operator', 'cloud', 'fairway'];
/** More of a kind are counted. */
const MOST_SHOWN = 5;
/** Of an object that no controller has looked at. */
const EPOCH = '1970';

/** What is not as it should be, by who has to act, in the server's words. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const say = useText(clusterTexts);
  if (findings.length === 0) return null;
  return (
    <section className="fw-findings" aria-label={say('findings.title')}>
      {TURNS.map((turn) => {
        const own = findings.filter((finding) => finding.turn === turn);
        if (own.length === 0) return null;
        return (
          <Alert key={turn} isInline variant={VARIANTS[turn]} title={say(`turn.${turn}`)} component="h2">
            <ul>
              {own.slice(0, MOST_SHOWN).map((finding) => (
                <FindingItem key={`${finding.about} ${finding.type} ${finding.message}`} finding={finding} />
              ))}
              {own.length > MOST_SHOWN && <li>+{own.length - MOST_SHOWN}</li>}
            </ul>
          </Alert>
        );
      })}
    </section>
  );
}

function FindingItem({ finding: { about, message, since } }: { readonly finding: Finding }) {
  const say = useText(clusterTexts);
  const duration = useDuration(since);
  return (
    <li>
      {about !== undefined && <strong>{about}: </strong>}
      <ServerText text={message} />
      {!since.startsWith(EPOCH) && <span className="fw-quiet"> {say('since', { duration })}</span>}
    </li>
  );
}
