import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span in OTLP's JSON format. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly links?: readonly { readonly traceId: string }[];
  /** `service.instance.id` of the process that sent it. */
  readonly instance?: string | undefined;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource?: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

interface MetricsExport {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
}

/** Receives data like an operator's collector, over HTTP as JSON. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Names of the metrics in the last export. */
  metrics: ReadonlySet<string> = new Set();
  /** Everything received, unparsed. */
  text = '';
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (request.url === '/v1/metrics') receiver.#takeMetrics(text);
        else receiver.#recordSpans(text);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Names of a trace's spans. */
  namesIn(traceId: string): ReadonlySet<string> {
    return new Set(this.spans.filter((span) => span.traceId === traceId).map(({ name }) => name));
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #takeMetrics(text: string): void {
    const { resourceMetrics } = JSON.parse(text) as MetricsExport;
    const all = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
    this.metrics = new Set(all.map(({ name }) => name));
  }

  #recordSpans(text: string): void {
    this.text += text;
    const { resourceSpans } = JSON.parse(text) as Export;
    for (const { resource, scopeSpans } of resourceSpans) {
      const instance = resource?.attributes.find(({ key }) => key === 'service.instance.id')?.value.stringValue;
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) this.spans.push({ ...span, instance });
    }
  }
}
