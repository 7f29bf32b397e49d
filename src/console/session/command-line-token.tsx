import Router from '@koa/router';
import type { ComponentChildren } from 'preact';
import { type OperatorSignIn, type OperatorTokens, operatorTokenMs } from '../../access/providers/operator-sign-in.js';
import type { Context, RequestState, Routes } from '../../http/context.js';
import { beginFailure, Forbidden, NotFound } from '../../http/errors.js';
import { Copyable } from '../../site/components/card.js';
import { sentence, Time } from '../../site/components/time.js';
import { Notice } from '../../site/components/tone.js';
import { requireSameOrigin } from '../../site/page-security.js';
import type { SitePlace } from '../../site/site.js';
import type { ConsoleSession, ConsoleSessions } from './console-sessions.js';

type SignedIn = Pick<ConsoleSession, 'caller'> & { signedIn: OperatorSignIn };

type CommandLineDependencies = SitePlace & {
  sessions: Pick<ConsoleSessions, 'find'>;
  signIn: (ctx: Context) => Promise<void>;
  /** Operators sign in with a provider. */
  hasProvider: boolean;
  tokens: Pick<OperatorTokens, 'issue'>;
  show: (ctx: Context, title: string, content: ComponentChildren) => void;
};

/**
 * `/command-line`: an operator who signed in with a provider gets a token for `flow-hooks login`, shown once. Without a provider it
 * is answered 404 to anybody, by which the command line knows that there is none.
 */
export function commandLineRoutes(dependencies: CommandLineDependencies): Routes {
  const { base, publicPath, originOf, sessions, signIn, hasProvider, tokens, show } = dependencies;
  const router: Routes = new Router<RequestState>({ sensitive: true, prefix: base });

  /** Leads to the sign-in without a session. */
  const answering =
    (content: (ctx: Context, session: SignedIn) => Promise<ComponentChildren>) => async (ctx: Context) => {
      try {
        if (!hasProvider) throw new NotFound('operators sign in with admin keys here: give yours to flow-hooks login');
        const session = await sessions.find(ctx);
        if (!session || session === 'expired') return await signIn(ctx);
        const { caller, signedIn } = session;
        if (!signedIn) throw new Forbidden('you are signed in with an admin key: give that key to flow-hooks login');
        show(ctx, title, await content(ctx, { caller, signedIn }));
      } catch (error) {
        const { status, message } = beginFailure(ctx, error);
        ctx.status = status;
        show(ctx, title, <Notice tone="bad">{sentence(message)}</Notice>);
      }
    };

  router.get(
    '/command-line',
    answering(async (_, { caller: { actor, role } }) => (
      <form method="post" action={`${publicPath}${base}/command-line`} class="stack">
        <p>
          A token lets the command line of your machine work as <b>{actor}</b> ({role}) for eight hours.
        </p>
        <button type="submit" class="primary">
          Make a token
        </button>
      </form>
    )),
  );
  router.post(
    '/command-line',
    answering(async (ctx, { signedIn }) => {
      requireSameOrigin(ctx, originOf(ctx));
      const token = await tokens.issue(signedIn);
      ctx.state.log.info({ actor: signedIn.actor }, 'an operator made a token for the command line');
      return (
        <>
          <p>
            This token is shown only now, and valid until <Time at={Date.now() + operatorTokenMs} />. Paste it where
            this command asks for it, and nowhere else.
          </p>
          <Copyable text={`flow-hooks login ${originOf(ctx)}${publicPath}`} />
          <Copyable text={token} />
          <p>
            <a href={`${publicPath}${base}`}>To the console</a>
          </p>
        </>
      );
    }),
  );
  return router;
}

const title = 'Command line';
