import { escaped, page } from './page.js';

/** `carried`: parameters that the form sends back unchanged. */
export const signInPage = (carried: Readonly<Record<string, string>>): string =>
  page(`<h1>Sign in</h1>
<p>Development mode: any user and organisation are accepted without a check.</p>
<form method="post" action="/sign-in">
${Object.entries(carried)
  .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
  .join('\n')}
<label>User ID<input name="user_id" required maxlength="256" autocomplete="username" autofocus></label>
<label>Organisation ID<input name="org_id" required maxlength="256" autocomplete="organization"></label>
<button>Sign in</button>
</form>`);

export const codePage = (code: string, expiresInSeconds: number): string =>
  page(`<h1>Your code</h1>
<p>Exchange it with POST /access within ${expiresInSeconds / 60} minutes. It works once.</p>
<code>${escaped(code)}</code>`);
