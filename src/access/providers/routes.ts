import Router from '@koa/router';
import type { z } from 'zod';
import { beginNothingForHead, type Context, type RequestState, type Routes } from '../../http/context.js';
import { TooManyRequests } from '../../http/errors.js';
import { serve } from '../../http/route-contract.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { CurrentClients } from '../clients/client-registry.js';
import { AccountRefused, AuthorizationRefused, ProviderUnavailable, SignInRefused } from '../errors.js';
import type { ResourceOf } from '../protected-resource.js';
import { authorizationRoute } from '../sign-in/contract.js';
import { messagePage, showPage, showRefusals } from '../sign-in/page.js';
import {
  type AnswerAddress,
  checkedRequest,
  type PlatformAnswers,
  type PlatformRequest,
} from '../sign-in/platform-request.js';
import { type ByHost, rawQuery, redirect } from '../sign-in/routes.js';
import { trustedClient } from '../sign-in/trusted-client.js';
import {
  accountDecision,
  accountRoute,
  callbackRoute,
  choice,
  consentRoute,
  decision,
  organisationRoute,
} from './contract.js';
import { type AskedSignIn, newAttempt, newBinding, type PendingSignIns } from './pending-sign-ins.js';
import type { AccountChoice, Provider } from './provider.js';
import type { SignInSteps } from './sign-in-steps.js';

type ProviderRoutesDependencies = {
  /** Undefined for hosts with a login page. */
  providerOf: ByHost<Provider>;
  hostOf: (ctx: Context) => string;
  addressOf: (ctx: Context) => ServiceAddress;
  clients: CurrentClients;
  resourceOf: ResourceOf;
  pending: PendingSignIns;
  answers: PlatformAnswers;
  steps: SignInSteps;
};

/** `GET /oauth2` on hosts with an OpenID provider, its `/oauth2/callback`, and the forms that ask the user. */
export function providerRoutes(dependencies: ProviderRoutesDependencies): Routes {
  const { providerOf, hostOf, addressOf, clients, resourceOf, pending, answers, steps } = dependencies;
  const router: Routes = new Router<RequestState>({ sensitive: true });

  /** Sends errors that concern the platform to its redirect URI. */
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
    const trusted = trustedClient(query, await clients.current(query.get('client_id')));
    await answering(ctx, trusted, undefined, async () => {
      await sendToProvider(
        ctx,
        provider,
        checkedRequest(query, trusted, (sent) => resourceOf(ctx, sent)),
      );
    });
  }

  async function sendToProvider(ctx: Context, provider: Provider, request: PlatformRequest, account?: AccountChoice) {
    const { callback, ...attempt } = newAttempt(addressOf(ctx).callback);
    const url = await provider.authorizationUrl({ callback, ...attempt }, account);
    await pending.begin(ctx, { request, issuer: provider.issuer, ...attempt });
    redirect(ctx, url.href);
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

  async function replaceAccount(ctx: Context): Promise<void> {
    const { form, signIn } = await answered(ctx, accountDecision, pending.findRefused);
    const { request, state, reason } = signIn;
    await answering(ctx, request, state, async () => {
      if (form.decision === 'cancel') throw new AuthorizationRefused('access_denied', reason);
      const provider = providerOf(hostOf(ctx));
      if (!provider) throw ended();
      await sendToProvider(ctx, provider, request, { otherAccount: true });
      pending.end(ctx, state); // Last: the form may be sent again while the provider cannot be reached.
    });
  }

  async function answered<Form extends { sealed: string }, SignIn extends AskedSignIn>(
    ctx: Context,
    schema: z.ZodType<Form>,
    find: (ctx: Context, sealed: string) => Promise<SignIn | undefined>,
  ) {
    if (ctx.get('origin') !== addressOf(ctx).origin) throw new SignInRefused('the form was not sent from this page');
    if (ctx.state.bodyError) throw ctx.state.bodyError;
    const form = parseInput(schema, ctx.state.body);
    const signIn = await find(ctx, form.sealed);
    if (!signIn) throw ended();
    return { form, signIn };
  }

  // For each route: `router.use` would also apply to later routers.
  serve(router, authorizationRoute, showFailures, async (ctx, next) => {
    const provider = providerOf(hostOf(ctx));
    await (provider ? beginNothingForHead(ctx, () => begin(ctx, provider)) : next());
  });
  serve(router, callbackRoute, beginNothingForHead, showFailures, identify);
  serve(router, organisationRoute, showFailures, async (ctx) => {
    const { form, signIn } = await answered(ctx, choice, pending.findIdentified);
    await answering(ctx, signIn.request, signIn.state, () => steps.choose(ctx, signIn, form.organisation));
  });
  serve(router, consentRoute, showFailures, async (ctx) => {
    const { form, signIn } = await answered(ctx, decision, pending.findIdentified);
    await answering(ctx, signIn.request, signIn.state, () => steps.decide(ctx, signIn, form.decision));
  });
  serve(router, accountRoute, showFailures, replaceAccount);
  return router;
}

const ended = () =>
  new SignInRefused('This sign-in has ended, or was begun in another browser. Begin again at the platform.');

type ServiceAddress = {
  /** Origin as browsers send it: `https://hooks.example.com`. */
  origin: string;
  /** Redirect URI, as configured at the provider. */
  callback: string;
};

/**
 * Address on the requested host, to which the cookies belong; scheme and path from `publicUrl`, else http (development). Throws
 * `SignInRefused` if the host is invalid.
 */
export const serviceAddressOf =
  (hostOf: (ctx: Context) => string, publicUrl: string | undefined) =>
  (ctx: Context): ServiceAddress => {
    const host = hostOf(ctx).toLowerCase();
    const { protocol, pathname } = new URL(publicUrl ?? 'http://localhost');
    const text = `${protocol}//${host}`;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    // Otherwise the URL would differ from the requested one.
    const isHost = url && [url.host, `${url.host}:${protocol === 'https:' ? 443 : 80}`].includes(host);
    if (!url || !isHost) throw new SignInRefused('the Host header is not a host');
    return { origin: url.origin, callback: `${url.origin}${pathname.replace(/\/$/, '')}/oauth2/callback` };
  };

const retryAfterSeconds = 5;

/** A page for browsers; other callers get the error as on all routes. */
async function showFailures(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  try {
    await showRefusals(ctx, next);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined || ctx.accepts('json', 'html') !== 'html') throw error;
    ctx.state.log.error({ err: error }, 'sign-in failed');
    ctx.status = 503;
    ctx.set('Retry-After', String(retryAfterSeconds));
    showPage(ctx, messagePage('Try again shortly', `${reason} Reload this page to try again.`), '');
  }
}

/** Undefined if a retry does not help. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof ProviderUnavailable) return 'The identity provider cannot be reached now.';
  if (error instanceof StoreUnavailable) return 'The service cannot be reached now.';
  return error instanceof TooManyRequests ? 'Too many users sign in now.' : undefined;
}
