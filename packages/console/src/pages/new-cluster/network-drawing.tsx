import { useText } from '../../text/use-text.ts';
import { newClusterTexts } from './texts.ts';

/** Additional nodes are displayed as a number. */
const MAX_DRAWN_NODES = 8;
const NODE = 22;
const GAP = 10;

export interface NetworkDrawingProps {
  readonly cidr: string;
  readonly isExisting: boolean;
  readonly nodes: number;
}

/** Router, subnet, nodes and API server, and their connections. */
export function NetworkDrawing({ cidr, isExisting, nodes }: NetworkDrawingProps) {
  const t = useText(newClusterTexts);
  const drawnNodes = Math.min(nodes, MAX_DRAWN_NODES);
  const words = t('drawing.words', { subnet: t('drawing.subnet', { cidr }) });
  const left = 300;
  return (
    <svg className="fw-drawing" viewBox="0 0 640 182" role="img" aria-label={t('drawing.label', { words })}>
      <g className="fw-drawing-lines">
        <path d="M 118 52 H 160" />
        <path d="M 248 52 H 280" />
        <path d="M 62 78 V 150 H 160" />
        <path d="M 290 150 H 340 V 104" strokeDasharray="4 4" />
      </g>
      <Box x={8} y={26} width={110} title={t('drawing.internet')} isQuiet />
      <Box
        x={160}
        y={26}
        width={88}
        title={t('drawing.router')}
        body={isExisting ? t('drawing.existingRouter') : undefined}
      />
      <Box x={160} y={124} width={130} title={t('drawing.api')} body={t('drawing.apiBody')} isAccent />
      <rect className="fw-drawing-subnet" x={280} y={8} width={352} height={96} rx={10} />
      <text x={left} y={32} className="fw-drawing-title">
        {t('drawing.subnet', { cidr })}
      </text>
      {Array.from({ length: drawnNodes }, (_, index) => (
        <rect
          key={index}
          className="fw-drawing-node"
          x={left + index * (NODE + GAP)}
          y={44}
          width={NODE}
          height={NODE}
          rx={4}
        />
      ))}
      {nodes > drawnNodes && (
        <text x={left + drawnNodes * (NODE + GAP)} y={60}>
          {t('drawing.more', { count: nodes - drawnNodes })}
        </text>
      )}
      <text x={left} y={90} className="fw-drawing-quiet">
        {t('drawing.nodes', { count: nodes })}
      </text>
    </svg>
  );
}

interface BoxProps {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly title: string;
  readonly body?: string | undefined;
  readonly isQuiet?: boolean;
  readonly isAccent?: boolean;
}

const HEIGHT = 52;

function Box({ x, y, width, title, body, isQuiet = false, isAccent = false }: BoxProps) {
  const middle = x + width / 2;
  const kind = isQuiet ? 'fw-drawing-outside' : isAccent ? 'fw-drawing-accent' : 'fw-drawing-box';
  return (
    <g textAnchor="middle">
      <rect className={kind} x={x} y={y} width={width} height={HEIGHT} rx={8} />
      <text x={middle} y={y + (body === undefined ? 31 : 23)} className="fw-drawing-title">
        {title}
      </text>
      {body !== undefined && (
        <text x={middle} y={y + 41} className="fw-drawing-quiet">
          {body}
        </text>
      )}
    </g>
  );
}
