import type { ComponentChildren } from 'preact';
import type { AdminKeys } from '../access/admin-keys.js';
import type { MasterKeys } from '../access/keys/master-keys.js';
import { type OperatorProvider, type OperatorSignIn, operatorTokens } from '../access/providers/operator-sign-in.js';
import type { Provider } from '../access/providers/provider.js';
import type { Context, Routes } from '../http/context.js';
import type { WrongKeys } from '../http/limits/request-limits.js';
import type { Mode } from '../kernel/settings/setting.js';
import { renderCard } from '../site/chrome.js';
import { setPageHeaders } from '../site/page-security.js';
import type { SitePlace, SiteSettings } from '../site/site.js';
import { commandLineRoutes } from './session/command-line-token.js';
import { consoleSessions } from './session/console-sessions.js';
import { providerSignIn } from './session/provider-sign-in.js';
import { SignInForm } from './session/sign-in-page.js';
import { signInRoutes } from './session/sign-in-routes.js';

export type OperatorsDependencies = {
  mode: Mode;
  /** The public URL of the service; undefined: http. */
  publicUrl: string | undefined;
  place: SitePlace;
  card: Parameters<typeof renderCard>[0];
  keys: { masterKeys: MasterKeys; adminKeys: AdminKeys };
  limits: { wrongKeys: WrongKeys };
  /** Undefined: operators sign in with admin keys only. */
  provider: Provider<OperatorSignIn> | undefined;
  openid: OperatorProvider | undefined;
};

/** Paths below the base. `signOutPath`: undefined without a sign-in; `commandLinePath`: without a provider. */
export type Operators = Pick<SiteSettings, 'sessionOf' | 'signIn'> & {
  routes: readonly Routes[];
  signOutPath: string | undefined;
  commandLinePath: string | undefined;
};

/** Development mode: only programs on this machine reach the service, which believes all callers. */
const inDevelopment: Operators = {
  sessionOf: async () => ({ caller: { actor: 'admin:development', role: 'owner', orgId: null } }),
  signIn: () => undefined,
  routes: [],
  signOutPath: undefined,
  commandLinePath: undefined,
};

export function operators({
  mode,
  publicUrl,
  place,
  card,
  keys,
  limits,
  provider,
  openid,
}: OperatorsDependencies): Operators {
  if (mode === 'development') return inDevelopment;
  const secure = publicUrl?.startsWith('https:') === true;
  const sealing = { masterKeys: keys.masterKeys, now: () => new Date(), secure };
  const sessions = consoleSessions({ ...sealing, adminKeys: keys.adminKeys, provider: openid });
  const show = (ctx: Context, title: string, content: ComponentChildren): void => {
    setPageHeaders(ctx, "'none'");
    ctx.type = 'html';
    ctx.body = renderCard(card, { title, content });
  };
  const { routes, signIn } = signInRoutes({
    base: place.base,
    publicBase: `${place.publicPath}${place.base}`,
    originOf: place.originOf,
    sessions,
    hasKeys: keys.adminKeys.size > 0,
    checkingKey: limits.wrongKeys,
    provider: provider && providerSignIn(provider, sealing),
    show: (ctx, page) => show(ctx, 'Sign in', <SignInForm {...page} />),
  });
  const hasProvider = provider !== undefined;
  const tokens = operatorTokens(sealing, openid);
  return {
    routes: [routes, commandLineRoutes({ ...place, sessions, signIn, tokens, hasProvider, show })],
    signIn,
    signOutPath: '/sign-out',
    commandLinePath: hasProvider ? '/command-line' : undefined,
    async sessionOf(ctx) {
      const found = await sessions.find(ctx);
      return found === 'expired' ? undefined : found;
    },
  };
}
