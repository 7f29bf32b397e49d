import { createHash } from 'node:crypto';
import type { Context } from '../../http/context.js';
import { SignInRefused } from '../errors.js';

const style = `
:root { color-scheme: light dark; --accent: #2f5bd7; --line: #8884; --muted: #667; --card: #fff; --ground: #f3f4f8; --text: #1b1d25 }
@media (prefers-color-scheme: dark) {
  :root { --accent: #9db4ff; --muted: #a3a8b8; --card: #1d2029; --ground: #13151b; --text: #eceef5 }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
  background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 26rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem }
h1 { margin: 0 0 .25rem; font-size: 1.4rem; overflow-wrap: anywhere }
p { margin: 0 0 1.25rem; color: var(--muted); overflow-wrap: anywhere }
strong { color: var(--text) }
ul { margin: 0 0 1.25rem; padding-left: 1.25rem }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0 }
label { display: block; margin-bottom: 1rem; font-weight: 600; overflow-wrap: anywhere }
input { display: block; width: 100%; margin-top: .25rem; padding: .6rem .75rem; font: inherit; font-weight: 400; color: inherit;
  background: transparent; border: 1px solid var(--line); border-radius: .4rem }
input[type=radio] { display: inline-block; width: auto; margin: 0 .6rem 0 0 }
button { width: 100%; padding: .7rem; font: inherit; font-weight: 600; color: var(--card); background: var(--accent);
  border: 0; border-radius: .4rem; cursor: pointer }
button.second { margin-top: .6rem; color: inherit; background: transparent; border: 1px solid var(--line) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
code { display: block; padding: .75rem; border: 1px solid var(--line); border-radius: .4rem; overflow-wrap: anywhere; font-size: .8rem;
  user-select: all }
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** A page without scripts and without files of ours. `content` is HTML: every value in it has been `escaped`. */
export const page = (content: string): string => `<!doctype html>
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

/** Escapes text, also for attribute values in double quotes. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** `text` is public. */
export const messagePage = (title: string, text: string): string =>
  page(`<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>`);

/**
 * Answers with a page that may load only its own style. `formTargets`: sources of CSP that its form may lead to, beside this
 * origin, since browsers apply `form-action` also to the redirects after a form.
 */
export function showPage(ctx: Context, html: string, formTargets: string): void {
  ctx.set(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self' ${formTargets}; ` +
      `base-uri 'none'; frame-ancestors 'none'`,
  );
  ctx.set('X-Frame-Options', 'DENY'); // RFC 9700 §4.16: for browsers that do not know `frame-ancestors`
  ctx.set('Cache-Control', 'no-store');
  // The URL of a page can contain a code. Not `no-referrer`, with which browsers send forms with `Origin: null`.
  ctx.set('Referrer-Policy', 'same-origin');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.type = 'html';
  ctx.body = html;
}

/** Shows users a page with status 400 if their sign-in is refused; callers who do not prefer HTML get the error as on all routes. */
export async function showRefusals(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof SignInRefused) || ctx.accepts('json', 'html') !== 'html') throw error;
    ctx.state.log.info({ detail: error.message }, 'sign-in refused');
    ctx.status = 400;
    showPage(ctx, messagePage('You cannot be signed in', error.message), '');
  }
}
