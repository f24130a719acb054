import { useText } from '../../text/use-text.ts';
import { type CloudPace, failuresOf } from './cloud-pace.ts';
import { CALL_OUTCOMES } from './cloud-reading.ts';
import { cloudsTexts } from './texts.ts';

const MAX_BARS = 90;
const HEIGHT = 64;
const BAR_WIDTH = 6;
const GAP = 1;
const MIN_SCALE = 10;
const MINUTE_MS = 60_000;

/** Calls by outcome, with one bar for each reading; the newest is on the right. */
export function CallsChart({ paces }: { readonly paces: readonly CloudPace[] }) {
  const t = useText(cloudsTexts);
  const shown = paces.slice(-MAX_BARS);
  const last = shown.at(-1);
  if (last === undefined) return <p className="fw-op-chart-empty fw-quiet">{t('chart.empty')}</p>;
  const maxTotal = Math.max(MIN_SCALE, ...shown.map(({ total }) => total));
  const minutes = Math.max(1, Math.round((last.atMs - (shown[0]?.atMs ?? last.atMs)) / MINUTE_MS));
  const label = t('chart.label', {
    minutes,
    most: Math.round(maxTotal),
    answered: Math.round(last.calls.answered),
    failed: Math.round(failuresOf(last)),
  });
  return (
    <figure className="fw-op-chart">
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${MAX_BARS * (BAR_WIDTH + GAP)} ${HEIGHT}`}
        preserveAspectRatio="none"
        width="100%"
        height={HEIGHT}
      >
        {shown.map((pace, index) => (
          <Bar
            key={pace.atMs}
            pace={pace}
            x={(MAX_BARS - shown.length + index) * (BAR_WIDTH + GAP)}
            maxTotal={maxTotal}
          />
        ))}
      </svg>
      <figcaption>
        <span className="fw-quiet">{t('chart.most', { count: Math.round(maxTotal) })}</span>
        {CALL_OUTCOMES.map((outcome) => (
          <span key={outcome} className="fw-op-legend">
            <svg width="10" height="10" aria-hidden="true">
              <rect className={`fw-op-${outcome}`} width="10" height="10" rx="2" />
            </svg>
            {t(`answer.${outcome}`)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function Bar({
  pace: { calls },
  x,
  maxTotal,
}: {
  readonly pace: CloudPace;
  readonly x: number;
  readonly maxTotal: number;
}) {
  let top = HEIGHT;
  return (
    <>
      {CALL_OUTCOMES.map((outcome) => {
        const height = (calls[outcome] / maxTotal) * HEIGHT;
        top -= height;
        return height === 0 ? null : (
          <rect key={outcome} className={`fw-op-${outcome}`} x={x} y={top} width={BAR_WIDTH} height={height} />
        );
      })}
    </>
  );
}
