import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Logger } from '@fairway/base/log';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
import { isApiError } from '@fairway/kube/object/api-error';
import { Server, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { Counter, Histogram, type Registry } from 'prom-client';
import { AccessControl } from './access.ts';
import { CallError } from './call-error.ts';
import { listenWithLimits, type ServerTls } from './listener.ts';
import { NodeGroups, type NodeGroupsDependencies } from './node-groups.ts';
import type { AutoscalingOptions, GrpcNode } from './protocol/messages.ts';
import { type CallName, serviceDefinition } from './protocol/service.ts';

/** A request for 1,000 nodes with their labels is far smaller. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/**
 * Maximum concurrent calls per connection, because each call may have an unfinished message. An autoscaler makes one or
 * two calls at a time.
 */
const MAX_STREAMS = 16;
/** Closes connections that an endless call would keep open. */
const MAX_CONNECTION_AGE_MS = 3_600_000;
const AGE_GRACE_MS = 60_000;
/** Limit of the memory that Node uses for a connection; the library sets none. */
const MAX_SESSION_MIB = 16;
const MAX_CALLS_PER_CLUSTER = 32;
/** An autoscaler's scan makes one call per node. */
const RATE = { burst: 5_000, perMinute: 60_000 };
const MAX_CLUSTERS = 10_000;

export interface ExternalAutoscalerOptions extends NodeGroupsDependencies {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls: ServerTls;
  /** Call rate limit for each cluster; by default, enough for scans of 1,000 nodes. */
  readonly rate?: Rate;
  readonly registry: Registry;
  readonly log: Logger;
}

export interface ExternalAutoscalerServer {
  readonly port: number;
  close(): void;
}

type Handler = (cluster: Cluster, request: never, signal: AbortSignal) => object | Promise<object>;

/** Serves all clusters' autoscalers; rejects if it can't listen there. */
export async function serveExternalAutoscalers(options: ExternalAutoscalerOptions): Promise<ExternalAutoscalerServer> {
  const { host, port, tls, registry, clock, log } = options;
  const access = new AccessControl(options.cache.clusters);
  const rateLimits = new TokenBuckets(options.rate ?? RATE, MAX_CLUSTERS);
  const running = new Map<string, number>();
  const stopping = new AbortController();
  const calls = new Counter({
    name: 'fairway_external_autoscaler_calls_total',
    help: "Calls from tenants' own autoscalers.",
    labelNames: ['method', 'code'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'fairway_external_autoscaler_call_seconds',
    help: "Duration of calls from tenants' own autoscalers, which time out after 5 s.",
    labelNames: ['method'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5],
    registers: [registry],
  });

  const handleCall = async (handle: Handler, certificate: Buffer | undefined, request: object): Promise<object> => {
    const nowMs = clock.now();
    const cluster = access.clusterOf(certificate, nowMs);
    const caller = identityOf(cluster);
    const count = running.get(caller) ?? 0;
    if (count >= MAX_CALLS_PER_CLUSTER || !rateLimits.tryTake(caller, nowMs)) {
      throw new CallError(status.RESOURCE_EXHAUSTED, 'too many calls for this cluster: retry later');
    }
    running.set(caller, count + 1);
    try {
      return await handle(cluster, request as never, stopping.signal);
    } finally {
      const remaining = (running.get(caller) ?? 1) - 1;
      if (remaining > 0) running.set(caller, remaining);
      else running.delete(caller);
    }
  };

  const respond = async (method: string, handle: Handler, call: ServerUnaryCall<object, object>) => {
    const end = seconds.startTimer({ method });
    try {
      const response = await handleCall(handle, call.getAuthContext().sslPeerCertificate?.raw, call.request);
      calls.inc({ method, code: status[status.OK] });
      return { response, failure: null };
    } catch (error) {
      const failure = toCallError(error);
      if (failure.code === status.INTERNAL)
        log.error({ err: error, method }, 'call from an external autoscaler failed');
      calls.inc({ method, code: status[failure.code] });
      return { response: null, failure: { code: failure.code, details: failure.message } };
    } finally {
      end();
    }
  };

  const unary = (method: string, handle: Handler) => {
    return async (call: ServerUnaryCall<object, object>, done: sendUnaryData<object>) => {
      const { response, failure } = await respond(method, handle, call);
      done(failure, response);
    };
  };

  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_concurrent_streams': MAX_STREAMS,
    'grpc.max_connection_idle_ms': 600_000,
    'grpc.max_connection_age_ms': MAX_CONNECTION_AGE_MS,
    'grpc.max_connection_age_grace_ms': AGE_GRACE_MS,
    'grpc-node.max_session_memory': MAX_SESSION_MIB,
  });
  const handlers = Object.entries(handlersOf(new NodeGroups(options)));
  server.addService(
    serviceDefinition(),
    Object.fromEntries(handlers.map(([method, handle]) => [method, unary(method, handle)])),
  );
  const holderOf = (certificate: Buffer | undefined) => access.holderOf(certificate);
  const listener = await listenWithLimits({ host, port, tls, holderOf }, server);
  return {
    port: listener.port,
    close: () => {
      stopping.abort();
      listener.close();
      server.forceShutdown();
    },
  };
}

function handlersOf(groups: NodeGroups): Record<CallName, Handler> {
  const unimplemented: Handler = () => {
    throw new CallError(status.UNIMPLEMENTED, 'Fairway does not provide prices');
  };
  const noop: Handler = () => ({});
  return {
    NodeGroups: (cluster) => ({ nodeGroups: groups.list(cluster) }),
    NodeGroupForNode: (cluster, { node }: { node?: GrpcNode }) => ({
      nodeGroup: (node && groups.groupOfNode(cluster, node)) ?? { id: '' },
    }),
    PricingNodePrice: unimplemented,
    PricingPodPrice: unimplemented,
    GPULabel: () => ({ label: '' }),
    GetAvailableGPUTypes: noop,
    Cleanup: noop,
    Refresh: noop,
    NodeGroupTargetSize: async (cluster, { id }: { id: string }) => ({
      targetSize: await groups.targetSize(cluster, id),
    }),
    NodeGroupIncreaseSize: async (cluster, { id, delta }: { id: string; delta: number }) => {
      await groups.increase(cluster, id, delta);
      return {};
    },
    NodeGroupDeleteNodes: async (cluster, { id, nodes }: { id: string; nodes: readonly GrpcNode[] }) => {
      await groups.deleteNodes(cluster, id, nodes);
      return {};
    },
    NodeGroupDecreaseTargetSize: async (cluster, { id, delta }: { id: string; delta: number }) => {
      await groups.decrease(cluster, id, delta);
      return {};
    },
    NodeGroupNodes: (cluster, { id }: { id: string }) => ({ instances: groups.instances(cluster, id) }),
    NodeGroupTemplateNodeInfo: async (cluster, { id }: { id: string }, signal) => {
      const node = await groups.template(cluster, id, signal);
      return { nodeInfo: node, nodeBytes: node };
    },
    NodeGroupGetOptions: (cluster, { id, defaults }: { id: string; defaults?: AutoscalingOptions }) => ({
      nodeGroupAutoscalingOptions: groups.options(cluster, id, defaults ?? {}),
    }),
  };
}

/** The error for callers; internal errors are only logged. */
function toCallError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  if (isApiError(error, 'NotFound')) return new CallError(status.NOT_FOUND, 'the node pool no longer exists');
  return new CallError(status.INTERNAL, 'internal error: see the Fairway log');
}
