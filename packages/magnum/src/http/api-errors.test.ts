import { ApiError } from '@fairway/kube/object/api-error';
import { describe, expect, test } from 'vitest';
import { fromApiError, magnumErrorOf } from './api-errors.ts';
import { errorBody, MagnumError } from './magnum-error.ts';

describe("errors from Fairway's API", () => {
  test.each<{ error: ApiError; status: number; detail: string }>([
    {
      error: new ApiError(
        403,
        'Forbidden',
        'clusters.fairway.dev is forbidden: User "a" cannot create resource "clusters" in API group "fairway.dev"',
      ),
      status: 403,
      detail: "Policy doesn't allow cluster:create to be performed.",
    },
    {
      error: new ApiError(403, 'Forbidden', 'clusters.fairway.dev "a" is forbidden: exceeded quota: magnum'),
      status: 403,
      detail: 'Resource limit exceeded: clusters.fairway.dev "a" is forbidden: exceeded quota: magnum',
    },
    {
      error: new ApiError(422, 'Invalid', 'long', {
        causes: [
          { field: 'spec.flavor', message: 'Not found: "x"' },
          { field: 'spec.version', message: 'Invalid value: "1"' },
        ],
      }),
      status: 400,
      detail: 'flavor_id: Not found: "x"; labels.kube_tag: Invalid value: "1"',
    },
    { error: new ApiError(409, 'Conflict', 'changed meanwhile'), status: 409, detail: 'changed meanwhile' },
    {
      error: new ApiError(415, 'UnsupportedMediaType', 'send it without Content-Encoding'),
      status: 415,
      detail: 'send it without Content-Encoding',
    },
    { error: new ApiError(408, 'Timeout', 'the body took too long'), status: 408, detail: 'the body took too long' },
    {
      error: new ApiError(500, 'InternalError', 'secret detail'),
      status: 500,
      detail: 'An unknown exception occurred.',
    },
  ])('become $status $detail', ({ error, status, detail }) => {
    expect(fromApiError(error, 'cluster:create')).toMatchObject({ status, message: detail });
  });

  test('include Retry-After', () => {
    const error = new ApiError(503, 'ServiceUnavailable', 'later', { retryAfterSeconds: 3 });
    expect(fromApiError(error, '')).toMatchObject({ status: 503, retryAfterSeconds: 3 });
  });

  test('reveal no details if they are unexpected', () => {
    expect(magnumErrorOf(new Error('secret detail'), '')).toMatchObject({
      status: 500,
      message: 'An unknown exception occurred.',
    });
  });

  test('have bodies that clients display', () => {
    expect(errorBody(new MagnumError(400, 'Bad thing. Do another'), 'req-1')).toEqual({
      errors: [
        {
          request_id: 'req-1',
          code: 'client',
          status: 400,
          title: 'Bad thing. Do another',
          detail: 'Bad thing. Do another',
          links: [],
        },
      ],
    });
  });
});
