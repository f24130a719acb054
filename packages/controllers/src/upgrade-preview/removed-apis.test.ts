import type { TransportResponse } from '@fairway/kube/client/transport';
import { ApiError } from '@fairway/kube/object/api-error';
import { describe, expect, test } from 'vitest';
import { removedApiFindings, requestedDeprecatedApis } from './removed-apis.ts';

async function* lines(all: readonly string[]): AsyncGenerator<string> {
  yield* all;
}

function clientReturning(response: readonly string[] | ApiError) {
  const raw = async (): Promise<TransportResponse> => {
    if (response instanceof ApiError) throw response;
    return { status: 200, headers: {}, text: () => Promise.resolve(''), lines: () => lines(response) };
  };
  return requestedDeprecatedApis({ raw }, new AbortController().signal);
}

const line = (labels: string, value = 1) => `apiserver_requested_deprecated_apis{${labels}} ${value}`;
const PDB = 'group="policy",removed_release="1.25",resource="poddisruptionbudgets",subresource="",version="v1beta1"';

describe('the metrics of an API server', () => {
  test.each([
    {
      reason: 'an API that was requested',
      answer: [line(PDB)],
      is: [{ name: 'policy/v1beta1 poddisruptionbudgets', removedIn: '1.25' }],
    },
    {
      reason: 'an API of the core group',
      answer: [line('group="",version="v1",resource="endpoints",removed_release="1.40"')],
      is: [{ name: 'v1 endpoints', removedIn: '1.40' }],
    },
    {
      reason: 'subresources count as the same API',
      answer: [line(PDB), line(PDB.replace('subresource=""', 'subresource="status"'))],
      is: [{ name: 'policy/v1beta1 poddisruptionbudgets', removedIn: '1.25' }],
    },
    {
      reason: 'an API that no version removes',
      answer: [line('group="",version="v1",resource="componentstatuses",removed_release=""')],
      is: [],
    },
    { reason: 'an API that was not requested', answer: [line(PDB, 0)], is: [] },
    { reason: 'other metrics and comments', answer: ['# HELP apiserver_requested_deprecated_apis', 'up 1'], is: [] },
    { reason: 'a line without an end', answer: ['apiserver_requested_deprecated_apis{group="policy"'], is: [] },
    { reason: 'the server has no metrics', answer: new ApiError(404, 'NotFound', 'not found'), is: undefined },
  ])('$reason', async ({ answer, is }) => {
    expect(await clientReturning(answer)).toEqual(is);
  });

  test('cannot be read if the API server fails', async () => {
    await expect(clientReturning(new ApiError(500, 'InternalError', 'broken'))).rejects.toThrow('broken');
  });

  test('are truncated if they never end', async () => {
    const megabyte = '#'.repeat(1024 * 1024);

    await expect(clientReturning(Array.from({ length: 65 }, () => megabyte))).rejects.toThrow('metrics exceed');
  });
});

describe('APIs removed by an upgrade', () => {
  const apis = [
    { name: 'policy/v1beta1 poddisruptionbudgets', removedIn: '1.25' },
    { name: 'flowcontrol.apiserver.k8s.io/v1beta3 flowschemas', removedIn: '1.32' },
  ];

  test.each([
    { from: '1.24.1', to: '1.25.0', is: ['policy/v1beta1 poddisruptionbudgets (removed in 1.25)'] },
    { from: '1.31.1', to: '1.32.0', is: apis.map(({ name, removedIn }) => `${name} (removed in ${removedIn})`) },
    { from: '1.23.1', to: '1.24.0', is: undefined },
    { from: '1.25.0', to: '1.25.9', is: undefined },
  ])('from $from to $to: $is', ({ from, to, is }) => {
    expect(removedApiFindings(apis, { from, to })[0]?.objects).toEqual(is);
  });

  test('are unknown if the API server does not report them', () => {
    expect(removedApiFindings(undefined, { from: '1.35.1', to: '1.36.0' })).toMatchObject([{ effect: 'Unknown' }]);
    expect(removedApiFindings(undefined, { from: '1.36.1', to: '1.36.2' })).toEqual([]);
  });
});
