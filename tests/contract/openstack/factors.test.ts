import type { Credential } from '@fairway/openstack/auth/credential';
import { FactorsRequiredError } from '@fairway/openstack/auth/factors-required-error';
import { totp } from '@fairway/simulator/identity/totp';
import { expect, it, type TestContext } from 'vitest';
import { Administration, PASSWORD } from './administration.ts';
import type { ContractCloud } from './contract-cloud.ts';
import { failureOf } from './logins.ts';
import { describeClouds } from './targets.ts';

/** Sixteen bytes as Base32. */
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
 * Keystone's response to the password alone. Skips the test if the operator has not allowed the `totp` method, because
 * the rules have no effect then.
 */
async function receiptOf(
  cloud: ContractCloud,
  account: FactorUser,
  context: TestContext,
): Promise<FactorsRequiredError> {
  const result = await logIn(cloud, { kind: 'password', password: PASSWORD, ...account }).catch(
    (error: unknown) => error,
  );
  if (!(result instanceof Error)) context.skip("its Keystone's [auth] methods are without totp");
  if (result instanceof FactorsRequiredError) return result;
  throw result;
}

describeClouds('a user with two-factor rules', (cloud) => {
  it('gets a receipt for the password, and a token for the receipt and the passcode', async (context) => {
    const account = await factorUser(cloud());
    if (account === undefined) return;

    const first = await receiptOf(cloud(), account, context);
    const { token } = await logIn(cloud(), { kind: 'totp', passcode: passcode(), receipt: first.receipt, ...account });

    expect(first).toMatchObject({ kind: 'unauthorized', status: 401, missing: [['totp']] });
    expect(token.methods.toSorted()).toEqual(['password', 'totp']);
    expect(token.project?.id).toBe(account.scope.project.id);
  });

  it('gets a token for password and passcode together', async (context) => {
    const account = await factorUser(cloud());
    if (account === undefined) return;
    await receiptOf(cloud(), account, context);

    const { token } = await logIn(cloud(), { kind: 'password', password: PASSWORD, passcode: passcode(), ...account });

    expect(token.methods.toSorted()).toEqual(['password', 'totp']);
  });

  it('gets no token for a wrong passcode, and no receipt for a wrong password', async (context) => {
    const account = await factorUser(cloud());
    if (account === undefined) return;
    const { receipt } = await receiptOf(cloud(), account, context);
    const late = totp(SECRET, Date.now() - 3_600_000);

    const wrong = await failureOf(logIn(cloud(), { kind: 'totp', passcode: late, receipt, ...account }));
    const password = await failureOf(logIn(cloud(), { kind: 'password', password: 'wrong', ...account }));

    expect(wrong).toMatchObject({ kind: 'unauthorized', status: 401 });
    expect(password).toMatchObject({ kind: 'unauthorized', status: 401 });
    expect(password).not.toBeInstanceOf(FactorsRequiredError);
  });

  it('gets no token with another user’s receipt', async (context) => {
    const [one, other] = [await factorUser(cloud()), await factorUser(cloud())];
    if (one === undefined || other === undefined) return;
    const { receipt } = await receiptOf(cloud(), one, context);

    const otherUserLogin = await failureOf(logIn(cloud(), { kind: 'totp', passcode: passcode(), receipt, ...other }));

    expect(otherUserLogin).toMatchObject({ kind: 'unauthorized', status: 401 });
  });
});
