import { z } from 'zod';
import { EVICTION_SIGNALS } from '../domain/eviction-signals.ts';
import { duration, int32 } from '../schema/scalars.ts';

const amount = () => z.string().min(1).max(24);

/**
 * Bounded because of kube-apiserver's cost estimate, which multiplies the cost of a rule by the maximum number of
 * values.
 */
const resourceAmounts = () => z.record(z.string(), amount()).meta({ maxProperties: 4 });
const signalThresholds = <T extends z.ZodType>(value: T) =>
  z.record(z.string(), value).meta({ maxProperties: EVICTION_SIGNALS.length });

/** `spec.kubelet` of a NodePool: fields of `kubelet.config.k8s.io/v1beta1` that can only harm the pool itself. */
export const kubeletSettings = z
  .object({
    maxPods: int32()
      .min(8)
      .max(250)
      .optional()
      .describe('Maximum number of pods per node. Default: maxPodsPerNode of the plan.'),
    podPidsLimit: int32().min(1024).max(4_194_304).optional().describe('Maximum number of processes per pod.'),
    cpuManagerPolicy: z.enum(['none', 'static']).optional().describe('Whether Guaranteed pods get exclusive CPUs.'),
    cpuCFSQuota: z.boolean().optional().describe('Whether CPU limits of containers are enforced.'),
    topologyManagerPolicy: z
      .enum(['none', 'best-effort', 'restricted', 'single-numa-node'])
      .optional()
      .describe('How the CPUs and devices of a pod are aligned to NUMA nodes.'),
    topologyManagerScope: z.enum(['container', 'pod']).optional().describe('Scope of the NUMA alignment.'),
    kubeReserved: resourceAmounts()
      .optional()
      .describe(
        'Resources reserved for Kubernetes components: cpu, memory, ephemeral-storage, pid. Default: depends on the size of the flavor.',
      ),
    systemReserved: resourceAmounts()
      .optional()
      .describe('Resources reserved for the system: cpu, memory, ephemeral-storage, pid.'),
    evictionHard: signalThresholds(amount())
      .optional()
      .describe(
        'Thresholds below which a node evicts pods immediately, by signal: memory.available, nodefs.available, nodefs.inodesFree, imagefs.available, imagefs.inodesFree, pid.available. Each threshold is a quantity or a percentage such as 10%. Signals that are not set keep their defaults.',
      ),
    evictionSoft: signalThresholds(amount())
      .optional()
      .describe(
        'Thresholds below which a node evicts pods after evictionSoftGracePeriod, by signal as for evictionHard.',
      ),
    evictionSoftGracePeriod: signalThresholds(duration())
      .optional()
      .describe(
        'Duration for which a signal must be below its evictionSoft threshold before pods are evicted; required for each signal in evictionSoft.',
      ),
    evictionMaxPodGracePeriod: int32()
      .min(0)
      .max(3600)
      .optional()
      .describe('Maximum termination grace period, in seconds, of a pod that is evicted because of evictionSoft.'),
    imageGCHighThresholdPercent: int32()
      .min(10)
      .max(100)
      .optional()
      .describe('Disk usage in percent above which unused images are removed. Default: 85.'),
    imageGCLowThresholdPercent: int32()
      .min(10)
      .max(100)
      .optional()
      .describe('Disk usage in percent down to which unused images are removed. Default: 80.'),
    containerLogMaxSize: amount().optional().describe("Size at which a container's log is rotated. Default: 10Mi."),
    containerLogMaxFiles: int32()
      .min(2)
      .max(10)
      .optional()
      .describe('Maximum number of log files per container. Default: 5.'),
    serializeImagePulls: z.boolean().optional().describe('Whether images are pulled one at a time. Default: true.'),
    maxParallelImagePulls: int32()
      .min(1)
      .max(10)
      .optional()
      .describe('Maximum number of images pulled at the same time, if serializeImagePulls is false.'),
    seccompDefault: z.boolean().optional().describe('Whether containers without a seccomp profile use RuntimeDefault.'),
    allowedUnsafeSysctls: z
      .array(
        z
          .string()
          .max(253)
          .regex(
            /^[a-z0-9][a-z0-9_.-]{0,251}\*?$/,
            'must be a sysctl such as net.core.somaxconn, or a prefix such as net.*',
          ),
      )
      .max(32)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'set' })
      .describe('Unsafe sysctls that pods can set, among those that the plan allows.'),
    shutdownGracePeriod: duration()
      .optional()
      .describe('Time that pods have to terminate when the server shuts down. Default: 60s.'),
    shutdownGracePeriodCriticalPods: duration()
      .optional()
      .describe('Part of shutdownGracePeriod that is reserved for critical pods. Default: 10s.'),
  })
  .describe('Kubelet settings.');

export type KubeletSettings = z.infer<typeof kubeletSettings>;

/** The names of the settings, for plans. */
export const KUBELET_SETTINGS = Object.keys(kubeletSettings.shape) as [
  keyof KubeletSettings,
  ...(keyof KubeletSettings)[],
];
