import type { ReceivedSpan } from './otlp-receiver.ts';
import { traceSvg } from './trace-svg.ts';

/** Calls that change something in the cloud. */
const CHANGE = /^(POST|PUT|PATCH|DELETE) \//;

/** The spans of a trace on the way to a change in OpenStack, as a picture. */
export function drawTrace(spans: readonly ReceivedSpan[]): string {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const shown = new Set<ReceivedSpan>();
  for (const change of spans.filter(({ name }) => CHANGE.test(name))) {
    for (let span: ReceivedSpan | undefined = change; span; span = byId.get(span.parentSpanId ?? '')) shown.add(span);
  }
  const drawn = [...shown].map((span) => ({
    id: span.spanId,
    parent: span.parentSpanId,
    name: span.name,
    fromMs: millisecondsOf(span.startTimeUnixNano),
    toMs: millisecondsOf(span.endTimeUnixNano),
  }));
  const title = `A cluster and a pool of two nodes, simulated cloud: the ${drawn.length} of ${spans.length} spans that lead to a change in OpenStack`;
  return traceSvg(drawn, title);
}

function millisecondsOf(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000n) / 1_000;
}
