import type { CreatedObject, TestResponse, TestUser } from '../test-cloud.ts';

export const NEWEST = { 'OpenStack-API-Version': 'volume 3.70' };

/** Posts a volume or snapshot and returns it; throws on an error response. */
export async function make(user: TestUser, what: 'volume' | 'snapshot', fields: object): Promise<CreatedObject> {
  const response = await user.call('POST', `/volume/v3/${what}s`, { [what]: fields }, NEWEST);
  if (response.status !== 202)
    throw new Error(`${what} create got ${response.status}: ${JSON.stringify(response.body)}`);
  return response.body[what] as unknown as CreatedObject;
}

export async function show(user: TestUser, what: 'volume' | 'snapshot', id: string): Promise<CreatedObject> {
  return (await user.call('GET', `/volume/v3/${what}s/${id}`, undefined, NEWEST)).body[
    what
  ] as unknown as CreatedObject;
}

/** Runs an action on a volume. */
export function runAction(user: TestUser, id: string, action: object): Promise<TestResponse> {
  return user.call('POST', `/volume/v3/volumes/${id}/action`, action, NEWEST);
}
