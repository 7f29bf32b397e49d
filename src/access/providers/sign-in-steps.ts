import type { Client } from '../../events/client-events.js';
import { type Context, causeOf } from '../../http/context.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { allowsRedirect } from '../clients/client.js';
import { isDocumentUrl } from '../clients/client-documents.js';
import type { CurrentClients } from '../clients/client-registry.js';
import { hasConsented, recordConsent } from '../consents/consent.js';
import { type AccountRefused, AuthorizationRefused, SignInRefused } from '../errors.js';
import { showPage } from '../sign-in/page.js';
import type { PlatformAnswers, PlatformRequest } from '../sign-in/platform-request.js';
import type { Organisation } from './claims.js';
import type { OwnCodes } from './own-codes.js';
import { consentPage, organisationPage, refusedAccountPage } from './pages.js';
import type { AskedSignIn, IdentifiedSignIn, PendingSignIns } from './pending-sign-ins.js';

type SignInStepsDependencies = {
  store: EventStore;
  clients: CurrentClients;
  pending: PendingSignIns;
  codes: OwnCodes;
  answers: PlatformAnswers;
  now: () => Date;
};

export type SignInSteps = ReturnType<typeof signInSteps>;

/** Each step answers the request: with a form, or with a redirect to the platform. */
export function signInSteps({ store, clients, pending, codes, answers, now }: SignInStepsDependencies) {
  /** Asks for the organisation, then the consent, as far as missing; then sends the code. */
  async function proceed(ctx: Context, signIn: IdentifiedSignIn): Promise<void> {
    const client = await stillRegistered(signIn.request);
    const organisation = onlyOrganisation(signIn);
    if (!organisation)
      return ask(ctx, signIn, (sealed) => organisationPage({ clientName: client.name, ...signIn, sealed }));
    const { scopes, redirectUri } = signIn.request;
    // Only the redirect URI tells a program that names the document of another client, so users are asked each time.
    const hosts = isDocumentUrl(client.clientId) ? hostsOf(client.clientId, redirectUri) : undefined;
    if (hosts || !(await hasConsented(store, partiesOf(signIn, organisation), scopes))) {
      const asked = { clientName: client.name, ...signIn, organisation, scopes, hosts };
      return ask(ctx, signIn, (sealed) => consentPage({ ...asked, sealed }));
    }
    return finish(ctx, signIn, organisation);
  }

  /** An operator may have changed the client meanwhile. */
  async function stillRegistered({ clientId, redirectUri, scopes }: PlatformRequest): Promise<Client> {
    const client = (await clients.current(clientId)).get(clientId);
    if (!client || !allowsRedirect(client, redirectUri))
      throw new SignInRefused('the platform is no longer registered');
    const allowed: readonly string[] = client.scopes;
    if (!scopes.every((scope) => allowed.includes(scope))) {
      throw new AuthorizationRefused('invalid_scope', `the client may request: ${allowed.join(' ')}`);
    }
    return client;
  }

  async function ask(ctx: Context, signIn: IdentifiedSignIn, pageOf: (sealed: string) => string): Promise<void> {
    showPage(ctx, pageOf(await pending.ask(ctx, signIn)), formTargets(signIn.request.redirectUri));
  }

  /** `issuer`: the provider at which another account would be chosen. */
  async function refuse(ctx: Context, signIn: AskedSignIn, refusal: AccountRefused, issuer: string): Promise<void> {
    const { redirectUri } = signIn.request;
    const { name: clientName } = await stillRegistered(signIn.request);
    const { message: reason, displayName, detail } = refusal;
    ctx.state.log.info({ detail }, 'account refused at sign-in');
    const sealed = await pending.askForAnother(ctx, { ...signIn, reason });
    ctx.status = 403;
    showPage(ctx, refusedAccountPage({ clientName, displayName, reason, sealed }), formTargets(redirectUri, issuer));
  }

  async function finish(ctx: Context, { request, state, user }: IdentifiedSignIn, organisation: Organisation) {
    const code = await codes.issue(request, { userId: user.userId, orgId: organisation.id });
    pending.end(ctx, state);
    answers.code(ctx, request, code);
  }

  return {
    proceed,
    refuse,

    /** Throws `SignInRefused` if it is not one of the user's. */
    async choose(ctx: Context, signIn: IdentifiedSignIn, organisationId: string): Promise<void> {
      const chosen = signIn.user.organisations.find(({ id }) => id === organisationId);
      if (!chosen) throw new SignInRefused('the account does not belong to this organisation');
      await proceed(ctx, { ...signIn, user: { ...signIn.user, organisations: [chosen] } });
    },

    async decide(ctx: Context, signIn: IdentifiedSignIn, decision: 'allow' | 'deny'): Promise<void> {
      if (decision === 'deny') throw new AuthorizationRefused('access_denied', 'the user did not agree');
      const organisation = onlyOrganisation(signIn);
      if (!organisation) throw new SignInRefused('no organisation has been chosen');
      await stillRegistered(signIn.request);
      const consent = { ...partiesOf(signIn, organisation), scopes: signIn.request.scopes };
      const cause = causeOf(ctx.state, `user:${signIn.user.userId}`);
      await recordConsent(store, consent, { cause, now: now() });
      await finish(ctx, signIn, organisation);
    },
  };
}

const hostsOf = (clientId: string, redirectUri: string) => ({
  document: new URL(clientId).host,
  redirect: new URL(redirectUri).host,
});

function onlyOrganisation({ user: { organisations } }: IdentifiedSignIn): Organisation | undefined {
  return organisations.length === 1 ? organisations[0] : undefined;
}

const partiesOf = ({ request: { clientId }, user: { userId } }: IdentifiedSignIn, { id: orgId }: Organisation) => ({
  clientId,
  userId,
  orgId,
});

/**
 * CSP sources: schemes, since platform and provider may redirect to any of their origins, and browsers apply
 * `form-action` to redirects too.
 */
const formTargets = (...urls: readonly string[]): string =>
  urls.every((url) => url.startsWith('https:')) ? 'https:' : 'http: https:';
