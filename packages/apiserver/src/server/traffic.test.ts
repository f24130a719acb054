import { FakeClock } from '@fairway/base/clock-fake';
import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../auth/user.ts';
import { Traffic } from './traffic.ts';

const alice: UserInfo = { username: 'alice', groups: ['system:authenticated'] };
const bob: UserInfo = { username: 'bob', groups: ['system:authenticated'] };
const master: UserInfo = { username: 'root', groups: ['system:masters'] };

function account(namespace: string, name: string): UserInfo {
  return { username: `system:serviceaccount:${namespace}:${name}`, groups: [] };
}

function traffic(limits: ConstructorParameters<typeof Traffic>[0]['limits']): Traffic {
  return new Traffic({ limits, clock: new FakeClock() });
}

describe('traffic', () => {
  it("rejects a user at their limit, with Retry-After and the limit's name, and serves other users", () => {
    const served = traffic({ maxWatches: 10, maxWatchesPerUser: 2 });
    served.enter('watches', alice);
    const release = served.enter('watches', alice);

    expect(() => served.enter('watches', alice)).toThrow(
      expect.objectContaining({
        code: 429,
        retryAfterSeconds: 1,
        message: expect.stringContaining('"alice" may have 2 running watches (maxWatchesPerUser)'),
      }),
    );
    served.enter('watches', bob);
    release();
    served.enter('watches', alice);

    expect([served.inUse('watches'), served.rejections.get('watches.perHolder')]).toEqual([3, 1]);
  });

  it('rejects everyone at the total limit, except members of system:masters', () => {
    const served = traffic({ maxMutatingRequests: 2, maxMutatingRequestsPerUser: 2 });
    served.enter('mutatingRequests', alice, 2);

    expect(() => served.enter('mutatingRequests', bob)).toThrow(/all clients together may have 2 mutating requests/);
    served.enter('mutatingRequests', master);

    expect(served.inUse('mutatingRequests')).toBe(3);
  });

  it('counts the service accounts of a namespace as one user', () => {
    const served = traffic({ maxWatchesPerUser: 2 });
    served.enter('watches', account('team', 'one'));
    served.enter('watches', account('team', 'two'));

    expect(() => served.enter('watches', account('team', 'three'))).toThrow(/"system:serviceaccounts:team"/);
    served.enter('watches', account('other', 'one'));
  });

  it('counts the users of a Keystone project as one user', () => {
    const member = (username: string, project: string): UserInfo => ({
      username: `keystone:${username}`,
      groups: [`keystone:project:${project}`],
      extra: { 'alpha.kubernetes.io/identity/project/id': [project] },
    });
    const served = traffic({ maxWatchesPerUser: 2 });
    served.enter('watches', member('one', 'team'));
    served.enter('watches', member('two', 'team'));

    expect(() => served.enter('watches', member('three', 'team'))).toThrow(
      /the users of the project team may have 2 running watches/,
    );
    served.enter('watches', member('one', 'other'));
  });

  it('schedules users round-robin', async () => {
    const served = traffic({});
    const startedUsers: string[] = [];
    const requests = [alice, alice, alice, bob].map(async (user) => {
      await served.nextTurn(user);
      startedUsers.push(user.username);
    });
    await Promise.all(requests);

    expect(startedUsers).toEqual(['alice', 'alice', 'bob', 'alice']);
  });

  describe('a response', () => {
    const limits = { maxAnswerBytes: 100, maxAnswerBytesPerUser: 40 };

    it("may exceed its user's share if the user has no other unsent response", () => {
      const served = traffic(limits);
      served.enterResponse(alice, 90);

      expect(() => served.enterResponse(alice, 1)).toThrow(/maxAnswerBytesPerUser/);
      served.enterResponse(bob, 10);
    });

    it('may exceed the total limit if it is the only one', () => {
      const served = traffic(limits);
      const release = served.enterResponse(bob, 1);

      expect(() => served.enterResponse(alice, 500)).toThrow(/maxAnswerBytes\)/);
      release();
      served.enterResponse(alice, 500);
    });
  });
});
