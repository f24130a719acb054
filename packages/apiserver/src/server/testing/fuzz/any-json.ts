import type { Json } from '@fairway/kube/object/meta';
import * as fc from 'fast-check';

export const name = fc.constantFrom('a', 'b', 'spec', 'l', 's', 'm', 'name', '__proto__', '$patch', '$retainKeys');
const directive = fc.constantFrom('$setElementOrder/l', '$deleteFromPrimitiveList/s', '$setElementOrder/s');
export const { value: anyJson } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 1, 'a', 'b', 'merge', 'replace', 'delete'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof({ weight: 5, arbitrary: name }, directive), tie('value'), { maxKeys: 4 }),
  ),
}));
