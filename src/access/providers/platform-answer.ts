import type { Context } from '../../http/context.js';
import { withQuery } from '../sign-in/with-query.js';
import type { AuthorizationRefused } from './errors.js';
import type { AnswerAddress } from './platform-request.js';

export type PlatformAnswers = {
  /** RFC 6749 §4.1.2. */
  readonly code: (ctx: Context, address: AnswerAddress, code: string) => void;
  /** RFC 6749 §4.1.2.1. */
  readonly refusal: (ctx: Context, address: AnswerAddress, refusal: AuthorizationRefused) => void;
};

/** Sends the user back to the platform. Each answer names the `issuer`, so that platforms detect mix-ups (RFC 9207). */
export function platformAnswers(issuer: string): PlatformAnswers {
  function send(ctx: Context, { redirectUri, state }: AnswerAddress, answer: Readonly<Record<string, string>>): void {
    const query = new URLSearchParams({ ...answer, ...(state !== undefined && { state }), iss: issuer });
    ctx.status = ctx.method === 'POST' ? 303 : 302; // RFC 9700 §4.12: never 307, which would repeat a form
    // Not ctx.redirect(), which would encode the URL again.
    ctx.set('Location', withQuery(redirectUri, query.toString()));
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Referrer-Policy', 'no-referrer');
    ctx.body = '';
  }

  return {
    code: (ctx, address, code) => send(ctx, address, { code }),
    refusal(ctx, address, { code, message, detail, cause }) {
      const level = code === 'server_error' ? 'error' : 'info'; // an operator has to correct something
      ctx.state.log[level]({ error: code, detail, ...(cause !== undefined && { err: cause }) }, 'sign-in refused');
      send(ctx, address, { error: code, error_description: message });
    },
  };
}
