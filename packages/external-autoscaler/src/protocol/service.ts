import { readFileSync } from 'node:fs';
import type { MethodDefinition } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

const PACKAGE = 'clusterautoscaler.cloudprovider.v1.externalgrpc';

/** Request and response of each call. */
const CALLS = {
  NodeGroups: ['Empty', 'NodeGroupsResponse'],
  NodeGroupForNode: ['NodeGroupForNodeRequest', 'NodeGroupForNodeResponse'],
  PricingNodePrice: ['Empty', 'Empty'],
  PricingPodPrice: ['Empty', 'Empty'],
  GPULabel: ['Empty', 'GPULabelResponse'],
  GetAvailableGPUTypes: ['Empty', 'Empty'],
  Cleanup: ['Empty', 'Empty'],
  Refresh: ['Empty', 'Empty'],
  NodeGroupTargetSize: ['NodeGroupRequest', 'NodeGroupTargetSizeResponse'],
  NodeGroupIncreaseSize: ['SizeChangeRequest', 'Empty'],
  NodeGroupDeleteNodes: ['NodeGroupDeleteNodesRequest', 'Empty'],
  NodeGroupDecreaseTargetSize: ['SizeChangeRequest', 'Empty'],
  NodeGroupNodes: ['NodeGroupRequest', 'NodeGroupNodesResponse'],
  NodeGroupTemplateNodeInfo: ['NodeGroupRequest', 'NodeGroupTemplateNodeInfoResponse'],
  NodeGroupGetOptions: ['NodeGroupAutoscalingOptionsRequest', 'NodeGroupAutoscalingOptionsResponse'],
} as const;

export type CallName = keyof typeof CALLS;

/** The service `CloudProvider`, in the form that grpc-js registers. */
export function serviceDefinition(): Record<CallName, MethodDefinition<object, object>> {
  const text = readFileSync(new URL('./externalgrpc.proto', import.meta.url), 'utf8');
  const { root } = protobuf.parse(text, { keepCase: true });
  const codec = (name: string) => {
    const type = root.lookupType(`${PACKAGE}.${name}`);
    return {
      write: (message: object) => Buffer.from(type.encode(type.fromObject(message)).finish()),
      read: (bytes: Buffer) => type.toObject(type.decode(bytes), { defaults: true, arrays: true, longs: Number }),
    };
  };
  const entries = Object.entries(CALLS).map(([name, [request, response]]) => {
    const [requestCodec, responseCodec] = [codec(request), codec(response)];
    const definition: MethodDefinition<object, object> = {
      path: `/${PACKAGE}.CloudProvider/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: requestCodec.write,
      requestDeserialize: requestCodec.read,
      responseSerialize: responseCodec.write,
      responseDeserialize: responseCodec.read,
    };
    return [name, definition];
  });
  return Object.fromEntries(entries) as Record<CallName, MethodDefinition<object, object>>;
}
