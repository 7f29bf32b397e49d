import { createHash } from 'node:crypto';

const style = `
:root { color-scheme: light dark; --accent: #2f5bd7; --line: #8884; --muted: #667; --card: #fff; --ground: #f3f4f8; --text: #1b1d25 }
@media (prefers-color-scheme: dark) {
  :root { --accent: #9db4ff; --muted: #a3a8b8; --card: #1d2029; --ground: #13151b; --text: #eceef5 }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
  background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 26rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem }
h1 { margin: 0 0 .25rem; font-size: 1.4rem }
p { margin: 0 0 1.25rem; color: var(--muted) }
label { display: block; margin-bottom: 1rem; font-weight: 600 }
input { display: block; width: 100%; margin-top: .25rem; padding: .6rem .75rem; font: inherit; font-weight: 400; color: inherit;
  background: transparent; border: 1px solid var(--line); border-radius: .4rem }
button { width: 100%; padding: .7rem; font: inherit; font-weight: 600; color: var(--card); background: var(--accent);
  border: 0; border-radius: .4rem; cursor: pointer }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
code { display: block; padding: .75rem; border: 1px solid var(--line); border-radius: .4rem; overflow-wrap: anywhere; font-size: .8rem;
  user-select: all }
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/**
 * Allows only the page's own style. Browsers also apply `form-action` to the redirects after the form, which may lead to any
 * http or https URL.
 */
export const contentSecurityPolicy =
  `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self' http: https:; ` +
  `base-uri 'none'; frame-ancestors 'none'`;

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

const page = (content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in · Flow Hooks</title>
<style>${style}</style>
</head>
<body><main>
${content}
</main></body>
</html>
`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
