import { aCluster } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import { clusterRecord, RECORD_ANNOTATION, recordAnnotation } from './record.ts';

const read = (text: string) => clusterRecord(aCluster({}, { annotations: { [RECORD_ANNOTATION]: text } }));

describe('the record of a cluster', () => {
  test('is read as written', () => {
    const record = { name: 'A_b', keypair: 'k', labels: { a: 'b' }, create_timeout: 5, floating_ip_enabled: true };
    expect(clusterRecord(aCluster({}, { annotations: recordAnnotation(record) }))).toEqual(record);
  });

  test.each([
    ['', {}],
    ['no JSON', {}],
    ['[1]', {}],
    ['"text"', {}],
    ['{"name": 5, "keypair": "k", "labels": {"a": 1}}', { keypair: 'k' }],
    [JSON.stringify({ keypair: 'k', discovery_url: 'x'.repeat(70_000) }), {}],
  ])('contains only the valid fields of %.60s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });
});
