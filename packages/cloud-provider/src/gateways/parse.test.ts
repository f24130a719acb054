import { expect, test } from 'vitest';
import { parseGateway, parseGatewayClass, parseHttpRoute, parseReferenceGrant } from './parse.ts';

const metadata = { name: 'x', namespace: 'default', uid: 'u' };
const INVALID_INPUTS: readonly unknown[] = [
  undefined,
  null,
  7,
  'text',
  [],
  {},
  { listeners: 'many' },
  { listeners: [{}] },
  { parentRefs: [[]] },
];

test.each(INVALID_INPUTS.map((spec) => ({ spec })))(
  'tolerates objects of kinds with other definitions, such as $spec',
  ({ spec }) => {
    const raw = { metadata, spec, status: spec };

    expect(parseGateway(raw)).toMatchObject({
      metadata,
      spec: { problem: expect.any(String) },
      status: { conditions: [] },
    });
    expect(parseHttpRoute(raw)).toMatchObject({ parentRefs: [], parents: [] });
    expect(parseGatewayClass(raw)).toMatchObject({ controllerName: undefined, conditions: [] });
    expect(parseReferenceGrant(raw)).toMatchObject({ from: [], to: [] });
  },
);

test('reports an invalid object and its invalid field', () => {
  const spec = { gatewayClassName: 'octavia', listeners: [{ name: 'a', port: 'eighty', protocol: 'HTTP' }] };

  expect(parseGateway({ metadata, spec })).toMatchObject({
    className: 'octavia',
    spec: { problem: expect.stringMatching(/^spec\.listeners\.0\.port: /) },
  });
});
