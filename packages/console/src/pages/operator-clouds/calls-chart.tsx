import { useText } from '../../text/use-text.ts';
import { type CloudPace, failuresOf } from './cloud-pace.ts';
import { ANSWERS } from './cloud-reading.ts';
import { cloudsTexts } from './texts.ts';

const BARS = 90;
const HEIGHT = 64;
const BAR = 6;
const GAP = 1;
const LEAST_TOP = 10;
const MINUTE_MS = 60_000;

/** Calls by how they ended, a bar for each reading; the newest at the right. */
export function CallsChart({ paces }: { readonly paces: readonly CloudPace[] }) {
  const say = useText(cloudsTexts);
  const shown = paces.slice(-BARS);
  const last = shown.at(-1);
  if (last === undefined) return <p className="fw-op-chart-empty fw-quiet">{say('chart.empty')}</p>;
  const most = Math.max(LEAST_TOP, ...shown.map(({ total }) => total));
  const minutes = Math.max(1, Math.round((last.atMs - (shown[0]?.atMs ?? last.atMs)) / MINUTE_MS));
  const label = say('chart.label', {
    minutes,
    most: Math.round(most),
    answered: Math.round(last.calls.answered),
    failed: Math.round(failuresOf(last)),
  });
  return (
    <figure className="fw-op-chart">
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${BARS * (BAR + GAP)} ${HEIGHT}`}
        preserveAspectRatio="none"
        width="100%"
        height={HEIGHT}
      >
        {shown.map((pace, index) => (
          <Bar key={pace.atMs} pace={pace} x={(BARS - shown.length + index) * (BAR + GAP)} most={most} />
        ))}
      </svg>
      <figcaption>
        <span className="fw-quiet">{say('chart.most', { count: Math.round(most) })}</span>
        {ANSWERS.map((answer) => (
          <span key={answer} className="fw-op-legend">
            <svg width="10" height="10" aria-hidden="true">
              <rect className={`fw-op-${answer}`} width="10" height="10" rx="2" />
            </svg>
            {say(`answer.${answer}`)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function Bar({ pace: { calls }, x, most }: { readonly pace: CloudPace; readonly x: number; readonly most: number }) {
  let top = HEIGHT;
  return (
    <>
      {ANSWERS.map((answer) => {
        const height = (calls[answer] / most) * HEIGHT;
        top -= height;
        return height === 0 ? null : (
          <rect key={answer} className={`fw-op-${answer}`} x={x} y={top} width={BAR} height={height} />
        );
      })}
    </>
  );
}
