import type { Runs } from './testing/fuzz/property.ts';

/**
 * One property for each decoder: for any input it returns a value within bounds or a client error. Inputs consist of
 * tokens that the decoder supports, so most of them pass its first check.
 */
const DECODERS = {
  yaml: () => import('./testing/fuzz/yaml.ts'),
  json: () => import('./testing/fuzz/json.ts'),
  'json-patch': () => import('./testing/fuzz/json-patch.ts'),
  'merge-patch': () => import('./testing/fuzz/merge-patch.ts'),
  'strategic-merge-patch': () => import('./testing/fuzz/strategic-merge-patch.ts'),
  'apply-patch': () => import('./testing/fuzz/apply-patch.ts'),
  protobuf: () => import('./testing/fuzz/protobuf.ts'),
  selectors: () => import('./testing/fuzz/selectors.ts'),
  quantities: () => import('./testing/fuzz/quantities.ts'),
  'json-paths': () => import('./testing/fuzz/json-paths.ts'),
  patterns: () => import('./testing/fuzz/patterns.ts'),
  cel: () => import('./testing/fuzz/cel.ts'),
  requests: () => import('./testing/fuzz/requests.ts'),
} as const;

export type Decoder = keyof typeof DECODERS;

/** The number of inputs per decoder. */
export async function fuzz(decoder: Decoder, runs: Runs): Promise<number> {
  const property = await DECODERS[decoder]();
  return property.fuzz(runs);
}
