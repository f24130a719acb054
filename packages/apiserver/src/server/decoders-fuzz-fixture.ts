import type { Runs } from './testing/fuzz/property.ts';

/**
 * One property for each decoder: whatever it is given, it gives a value within the bounds or says that the client is wrong. Texts are made of what
 * the decoder knows, so that most of them get past its first line.
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

/** How many inputs a decoder was given. */
export async function fuzz(decoder: Decoder, runs: Runs): Promise<number> {
  const property = await DECODERS[decoder]();
  return property.fuzz(runs);
}
