/** The messages of externalgrpc.proto as the server receives them. */

export interface NodeGroup {
  readonly id: string;
  readonly minSize: number;
  readonly maxSize: number;
  readonly debug: string;
}

export interface GrpcNode {
  readonly providerID: string;
  readonly name: string;
}

export const InstanceState = { running: 1, creating: 2, deleting: 3 } as const;
/** cloudprovider.InstanceErrorClass: determines whether cluster-autoscaler tries another group. */
export const ErrorClass = { outOfResources: 1, other: 99 } as const;

export interface Instance {
  readonly id: string;
  readonly status: {
    readonly instanceState: (typeof InstanceState)[keyof typeof InstanceState];
    readonly errorInfo?: {
      readonly errorCode: string;
      readonly errorMessage: string;
      readonly instanceErrorClass: (typeof ErrorClass)[keyof typeof ErrorClass];
    };
  };
}

export interface WireDuration {
  readonly seconds: number;
  readonly nanos: number;
}

export interface AutoscalingOptions {
  readonly scaleDownUtilizationThreshold?: number;
  readonly scaleDownGpuUtilizationThreshold?: number;
  readonly scaleDownUnneededTime?: { readonly duration: number };
  readonly scaleDownUnreadyTime?: { readonly duration: number };
  readonly maxNodeProvisionTime?: { readonly duration: number };
  readonly zeroOrMaxNodeScaling?: boolean;
  readonly ignoreDaemonSetsUtilization?: boolean;
  readonly scaleDownUnneededDuration?: WireDuration;
  readonly scaleDownUnreadyDuration?: WireDuration;
  readonly maxNodeProvisionDuration?: WireDuration;
}
