import type { Credential } from '@fairway/openstack/auth/credential';
import { FactorsRequiredError } from '@fairway/openstack/auth/factors-required-error';
import { totp } from '@fairway/simulator/identity/totp';
import { expect, it, type TestContext } from 'vitest';
import { Administration, PASSWORD } from './administration.ts';
import type { ContractCloud } from './contract-cloud.ts';
import { failureOf } from './logins.ts';
import { describeClouds } from './targets.ts';

/** Base32, of sixteen bytes. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY';
const passcode = () => totp(SECRET, Date.now());

interface FactorUser {
  readonly user: { readonly id: string };
  readonly scope: { readonly kind: 'project'; readonly project: { readonly id: string } };
}

/** A member of the project whose rules require password and passcode; undefined without an administrator. */
async function factorUser(cloud: ContractCloud): Promise<FactorUser | undefined> {
  if (cloud.admin === undefined) return undefined;
  const administration = new Administration(cloud);
  const { id } = await administration.userWith('member', { multi_factor_auth_rules: [['password', 'totp']] });
  await administration.send('POST', '/credentials', { credential: { type: 'totp', blob: SECRET, user_id: id } });
  return { user: { id }, scope: { kind: 'project', project: { id: await cloud.member.session.projectId() } } };
}

function logIn(cloud: ContractCloud, credential: Credential) {
  return cloud.cloud.client(credential).session.token();
}

/**
 * Keystone's response to the password alone. Skips if its operator has not allowed the method `totp`, since the rules have no
 * effect then.
 */
async function receiptOf(cloud: ContractCloud, who: FactorUser, context: TestContext): Promise<FactorsRequiredError> {
  const answer = await logIn(cloud, { kind: 'password', password: PASSWORD, ...who }).catch((error: unknown) => error);
  if (!(answer instanceof Error)) context.skip("its Keystone's [auth] methods are without totp");
  if (answer instanceof FactorsRequiredError) return answer;
  throw answer;
}

describeClouds('a user whose rules want two factors', (cloud) => {
  it('returns a receipt for the password, and a token for the passcode with it', async (context) => {
    const who = await factorUser(cloud());
    if (who === undefined) return;

    const first = await receiptOf(cloud(), who, context);
    const { token } = await logIn(cloud(), { kind: 'totp', passcode: passcode(), receipt: first.receipt, ...who });

    expect(first).toMatchObject({ kind: 'unauthorized', status: 401, missing: [['totp']] });
    expect(token.methods.toSorted()).toEqual(['password', 'totp']);
    expect(token.project?.id).toBe(who.scope.project.id);
  });

  it('returns a token for both at once', async (context) => {
    const who = await factorUser(cloud());
    if (who === undefined) return;
    await receiptOf(cloud(), who, context);

    const { token } = await logIn(cloud(), { kind: 'password', password: PASSWORD, passcode: passcode(), ...who });

    expect(token.methods.toSorted()).toEqual(['password', 'totp']);
  });

  it('refuses a wrong passcode, and gives no receipt for a wrong password', async (context) => {
    const who = await factorUser(cloud());
    if (who === undefined) return;
    const { receipt } = await receiptOf(cloud(), who, context);
    const late = totp(SECRET, Date.now() - 3_600_000);

    const wrong = await failureOf(logIn(cloud(), { kind: 'totp', passcode: late, receipt, ...who }));
    const password = await failureOf(logIn(cloud(), { kind: 'password', password: 'wrong', ...who }));

    expect(wrong).toMatchObject({ kind: 'unauthorized', status: 401 });
    expect(password).toMatchObject({ kind: 'unauthorized', status: 401 });
    expect(password).not.toBeInstanceOf(FactorsRequiredError);
  });

  it('refuses the receipt of another user', async (context) => {
    const [one, other] = [await factorUser(cloud()), await factorUser(cloud())];
    if (one === undefined || other === undefined) return;
    const { receipt } = await receiptOf(cloud(), one, context);

    const stolen = await failureOf(logIn(cloud(), { kind: 'totp', passcode: passcode(), receipt, ...other }));

    expect(stolen).toMatchObject({ kind: 'unauthorized', status: 401 });
  });
});
