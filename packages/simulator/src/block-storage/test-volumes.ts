import type { Answer, Made, TestUser } from '../test-cloud.ts';

export const NEWEST = { 'OpenStack-API-Version': 'volume 3.70' };

/** Posts a volume or snapshot and returns it; throws on an error response. */
export async function make(user: TestUser, what: 'volume' | 'snapshot', fields: object): Promise<Made> {
  const answer = await user.call('POST', `/volume/v3/${what}s`, { [what]: fields }, NEWEST);
  if (answer.status !== 202) throw new Error(`${what} create got ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body[what] as unknown as Made;
}

export async function show(user: TestUser, what: 'volume' | 'snapshot', id: string): Promise<Made> {
  return (await user.call('GET', `/volume/v3/${what}s/${id}`, undefined, NEWEST)).body[what] as unknown as Made;
}

/** An action on a volume. */
export function actOn(user: TestUser, id: string, action: object): Promise<Answer> {
  return user.call('POST', `/volume/v3/volumes/${id}/action`, action, NEWEST);
}
