import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { RetryingExporter } from './retrying-exporter.ts';

const BATCH = [{}, {}] as ReadableSpan[];

function newReceiver() {
  const state = { isAway: true, calls: 0 };
  const inner: SpanExporter = {
    export(_spans, callback) {
      state.calls++;
      callback({ code: state.isAway ? ExportResultCode.FAILED : ExportResultCode.SUCCESS });
    },
    shutdown: () => Promise.resolve(),
  };
  return { state, inner };
}

test('tries a receiver that has been unreachable for a day only a few times an hour, and queues nothing for it', async () => {
  const clock = new FakeClock();
  const { state, inner } = newReceiver();
  const exporter = new RetryingExporter(inner, { clock, log: silentLogger });

  for (let batches = 0; batches < 24 * 720; batches++) {
    exporter.export(BATCH, () => {});
    await clock.advance(5_000);
  }

  expect(state.calls).toBeGreaterThan(24 * 11);
  expect(state.calls).toBeLessThan(24 * 12 + 8);
  expect(exporter.counts).toEqual({ exported: 0, lost: 24 * 720 * BATCH.length });
});

test('sends everything again once the receiver is back', async () => {
  const clock = new FakeClock();
  const { state, inner } = newReceiver();
  const exporter = new RetryingExporter(inner, { clock, log: silentLogger });
  exporter.export(BATCH, () => {});
  state.isAway = false;

  await clock.advance(5_000);
  exporter.export(BATCH, () => {});
  exporter.export(BATCH, () => {});

  expect(exporter.counts).toEqual({ exported: 4, lost: 2 });
});

test('sends remaining batches one after another, with a bounded queue', () => {
  const callbacks: ((result: { readonly code: ExportResultCode }) => void)[] = [];
  const inner: SpanExporter = {
    export: (_spans, callback) => void callbacks.push(callback),
    shutdown: () => Promise.resolve(),
  };
  const exporter = new RetryingExporter(inner, { clock: new FakeClock(), log: silentLogger });
  for (let batches = 0; batches < 7; batches++) exporter.export(BATCH, () => {});
  expect(callbacks).toHaveLength(1);

  for (let sent = 0; sent < 5; sent++) callbacks[sent]?.({ code: ExportResultCode.SUCCESS });

  expect(callbacks).toHaveLength(5);
  expect(exporter.counts).toEqual({ exported: 10, lost: 4 });
});
