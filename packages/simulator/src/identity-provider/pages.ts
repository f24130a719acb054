import type { ApiResponse } from '../http/api.ts';

/** A sign-in form that preserves the values of its other fields. */
export function signInPage(
  action: string,
  hiddenFields: Readonly<Record<string, string>>,
  problem?: string,
): ApiResponse {
  const kept = Object.entries(hiddenFields).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  const code =
    'user_code' in hiddenFields || !action.endsWith('/device')
      ? ''
      : '<p>Code <input name="user_code" autocomplete="off"></p>';
  return page(
    `<form method="post" action="${escaped(action)}">${kept.join('')}${code}
<p>User <input name="username" autocomplete="username"></p>
<p>Password <input name="password" type="password" autocomplete="current-password"></p>
<p><button>Sign in</button> <button name="deny" value="yes">Decline</button></p></form>`,
    problem,
  );
}

export function page(content: string, problem?: string): ApiResponse {
  const alert = problem === undefined ? '' : `<p role="alert">${escaped(problem)}</p>`;
  return {
    status: problem === undefined ? 200 : 400,
    headers: { 'Cache-Control': 'no-store' },
    body: `<!doctype html><title>Simulated identity provider</title>${alert}${content}`,
  };
}

/** Escapes text for HTML. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
