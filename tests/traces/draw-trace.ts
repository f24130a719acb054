import type { ReceivedSpan } from './otlp-receiver.ts';
import { traceSvg } from './trace-svg.ts';

/** Calls that change something in the cloud. */
const WRITE_SPAN = /^(POST|PUT|PATCH|DELETE) \//;

/** Draws the spans of a trace that lead to a change in OpenStack. */
export function drawTrace(spans: readonly ReceivedSpan[]): string {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const causingSpans = new Set<ReceivedSpan>();
  for (const change of spans.filter(({ name }) => WRITE_SPAN.test(name))) {
    for (let span: ReceivedSpan | undefined = change; span; span = byId.get(span.parentSpanId ?? ''))
      causingSpans.add(span);
  }
  const drawnSpans = [...causingSpans].map((span) => ({
    id: span.spanId,
    parent: span.parentSpanId,
    name: span.name,
    fromMs: millisecondsOf(span.startTimeUnixNano),
    toMs: millisecondsOf(span.endTimeUnixNano),
  }));
  const title = `A cluster and a pool of two nodes, simulated cloud: the ${drawnSpans.length} of ${spans.length} spans that lead to a change in OpenStack`;
  return traceSvg(drawnSpans, title);
}

function millisecondsOf(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000n) / 1_000;
}
