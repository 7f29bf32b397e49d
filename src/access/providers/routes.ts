import Router from '@koa/router';
import { z } from 'zod';
import type { Context, RequestState, Routes } from '../../http/context.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import type { ByHost } from '../sign-in/by-host.js';
import { SignInRefused } from '../sign-in/errors.js';
import { trustedClient } from '../sign-in/trusted-client.js';
import { rawQuery } from '../sign-in/with-query.js';
import { AccountRefused, AuthorizationRefused } from './errors.js';
import { type AskedSignIn, newAttempt, newBinding, type PendingSignIns } from './pending-sign-ins.js';
import type { PlatformAnswers } from './platform-answer.js';
import { type AnswerAddress, checkedRequest, type PlatformRequest } from './platform-request.js';
import type { AccountChoice, Provider } from './provider.js';
import type { ServiceAddress } from './service-address.js';
import { showFailures } from './show-failures.js';
import type { SignInSteps } from './sign-in-steps.js';

export type ProviderRoutesDependencies = {
  /** Undefined for hosts with a login page. */
  readonly providerOf: ByHost<Provider>;
  readonly hostOf: (ctx: Context) => string;
  readonly addressOf: (ctx: Context) => ServiceAddress;
  readonly clients: ClientRegistry;
  readonly pending: PendingSignIns;
  readonly answers: PlatformAnswers;
  readonly steps: SignInSteps;
};

const text = z.string({ error: 'must be sent once' });
export const choice = z.object({ sealed: text, organisation: text });
export const decision = z.object({ sealed: text, decision: z.enum(['allow', 'deny']) });
export const accountDecision = z.object({ sealed: text, decision: z.enum(['another', 'cancel']) });

/**
 * `GET /oauth2` on hosts with an OpenID provider, `GET /oauth2/callback`, to which the provider answers, and the forms of the
 * pages that ask the user: `POST /oauth2/organisation`, `POST /oauth2/consent` and `POST /oauth2/account`.
 */
export function providerRoutes(dependencies: ProviderRoutesDependencies): Routes {
  const { providerOf, hostOf, addressOf, clients, pending, answers, steps } = dependencies;
  const router: Routes = new Router<RequestState>({ sensitive: true });

  /** Runs a step of a sign-in whose redirect URI is known. The platform gets the errors that concern it. */
  async function answering(ctx: Context, address: AnswerAddress, state: string | undefined, step: () => Promise<void>) {
    try {
      await step();
    } catch (error) {
      if (!(error instanceof AuthorizationRefused)) throw error;
      if (state !== undefined) pending.end(ctx, state);
      answers.refusal(ctx, address, error);
    }
  }

  async function begin(ctx: Context, provider: Provider): Promise<void> {
    const query = new URLSearchParams(rawQuery(ctx.req.url ?? ''));
    const trusted = trustedClient(query, await clients.current());
    await answering(ctx, trusted, undefined, async () => {
      await sendToProvider(ctx, provider, checkedRequest(query, trusted));
    });
  }

  async function sendToProvider(ctx: Context, provider: Provider, request: PlatformRequest, account?: AccountChoice) {
    const { callback, ...attempt } = newAttempt(addressOf(ctx).callback);
    const url = await provider.authorizationUrl({ callback, ...attempt }, account);
    await pending.begin(ctx, { request, issuer: provider.issuer, ...attempt });
    ctx.status = ctx.method === 'POST' ? 303 : 302;
    ctx.set('Location', url.href);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = '';
  }

  async function identify(ctx: Context): Promise<void> {
    const { callback } = addressOf(ctx);
    const query = rawQuery(ctx.req.url ?? '');
    const signIn = await pending.findBegun(ctx, new URLSearchParams(query).get('state') ?? '');
    const provider = providerOf(hostOf(ctx));
    if (!signIn || signIn.issuer !== provider?.issuer) throw ended();
    const { request, state } = signIn;
    const asked = { request, state, binding: newBinding() };
    await answering(ctx, request, state, async () => {
      try {
        const user = await provider.identify(new URL(`${callback}?${query}`), { callback, ...signIn });
        await steps.proceed(ctx, { ...asked, user });
      } catch (error) {
        if (!(error instanceof AccountRefused)) throw error;
        await steps.refuse(ctx, asked, error, provider.issuer);
      }
    });
  }

  /** The user of a refused account has chosen to use another one, or to return to the platform. */
  async function replaceAccount(ctx: Context): Promise<void> {
    const { form, signIn } = await answered(ctx, accountDecision, pending.findRefused);
    const { request, state, reason } = signIn;
    await answering(ctx, request, state, async () => {
      if (form.decision === 'cancel') throw new AuthorizationRefused('access_denied', reason);
      const provider = providerOf(hostOf(ctx));
      if (!provider) throw ended();
      await sendToProvider(ctx, provider, request, { otherAccount: true });
      pending.end(ctx, state); // last: while the provider cannot be reached, the form may be sent again
    });
  }

  /** The fields of a form that one of our pages sent, and the sign-in that it is about. */
  async function answered<Form extends { readonly sealed: string }, SignIn extends AskedSignIn>(
    ctx: Context,
    schema: z.ZodType<Form>,
    find: (ctx: Context, sealed: string) => Promise<SignIn | undefined>,
  ) {
    if (ctx.get('origin') !== addressOf(ctx).origin) throw new SignInRefused('the form was not sent from this page');
    if (ctx.state.bodyError) throw ctx.state.bodyError;
    const form = parseInput(schema, ctx.request.body);
    const signIn = await find(ctx, form.sealed);
    if (!signIn) throw ended();
    return { form, signIn };
  }

  // For each route, because `router.use` would also apply it to the routes of the routers that come after this one.
  router.get('/oauth2', showFailures, async (ctx, next) => {
    const provider = providerOf(hostOf(ctx));
    await (provider ? begin(ctx, provider) : next());
  });
  router.get('/oauth2/callback', showFailures, identify);
  router.post('/oauth2/organisation', showFailures, async (ctx) => {
    const { form, signIn } = await answered(ctx, choice, pending.findIdentified);
    await answering(ctx, signIn.request, signIn.state, () => steps.choose(ctx, signIn, form.organisation));
  });
  router.post('/oauth2/consent', showFailures, async (ctx) => {
    const { form, signIn } = await answered(ctx, decision, pending.findIdentified);
    await answering(ctx, signIn.request, signIn.state, () => steps.decide(ctx, signIn, form.decision));
  });
  router.post('/oauth2/account', showFailures, replaceAccount);
  return router;
}

const ended = () =>
  new SignInRefused('This sign-in has ended, or was begun in another browser. Begin again at the platform.');
