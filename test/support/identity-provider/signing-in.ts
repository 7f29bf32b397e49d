import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { runCliForJson } from '../service/cli.js';
import { type ServiceProcess, startService } from '../service/service.js';
import { until } from '../until.js';
import { type Browser, openBrowser, type Page } from './browser.js';
import { type IdentityProvider, startIdentityProvider } from './identity-provider.js';

/** Address at which a platform gets its users back. */
export const redirectUri = 'https://platform.example/callback?kept=1';
/** RFC 7636 appendix B. */
const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');

export type Platform = { clientId: string; clientSecret: string };

export type SignInPlace = {
  provider: IdentityProvider;
  service: () => ServiceProcess;
  restartService: () => Promise<void>;
  platform: Platform;
  stop: () => Promise<void>;
};

/** A service, its identity provider and a platform that is registered as a client; all but the platform are processes. */
export async function openSignInPlace(settings: object = {}): Promise<SignInPlace> {
  const port = await reusablePort();
  const provider = await startIdentityProvider(`http://127.0.0.1:${port}/oauth2/callback`);
  const environment = {
    PORT: String(port),
    LOGIN_PROVIDERS: JSON.stringify({ '*': { ...provider.settings, ...settings } }),
  };
  let service = await startService({ environment });
  const { dataDirectory } = service;
  const place: SignInPlace = {
    provider,
    service: () => service,
    async restartService() {
      await service.stop();
      service = await startService({ environment, dataDirectory });
    },
    platform: await addPlatform(dataDirectory),
    async stop() {
      await service.stop();
      await provider.stop();
    },
  };
  const isKnown = async () => (await fetch(linkOf(place), { redirect: 'manual' })).status === 302;
  await until(isKnown, 'the platform to be known, half a second after it was added');
  return place;
}

export async function addPlatform(dataDirectory: string): Promise<Platform> {
  const options = ['--name', 'Zap & Co', '--redirect-uri', redirectUri, '--scope', 'listeners', 'flows:publish'];
  const [added] = await runCliForJson(dataDirectory, 'clients', 'add', ...options);
  return added as Platform; // what the command prints
}

/** A browser that stops when it is sent to the platform, or to a URL that begins with one of `others`. */
export const newBrowser = (...others: readonly string[]): Browser =>
  openBrowser('https://platform.example/', ...others);

/** The platform's link to `/oauth2`. */
export function linkOf(place: SignInPlace, changes: Readonly<Record<string, string | undefined>> = {}): URL {
  const url = new URL('/oauth2', place.service().origin);
  const query = {
    response_type: 'code',
    client_id: place.platform.clientId,
    redirect_uri: redirectUri,
    scope: 'listeners flows:publish',
    state: 'a b&c=d+é',
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    ...changes,
  };
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** Types the name into the login page of the provider, and agrees there. Returns the page after the callback. */
export async function logIn(browser: Browser, loginPage: Page, login: string): Promise<Page> {
  expect(loginPage.html).to.include('Sign-in');
  let page = await browser.submit(loginPage, { login, password: 'x' });
  // It asks for consent, and ends the session of another account.
  while (page.url.origin === loginPage.url.origin) page = await browser.submit(page);
  return page;
}

/** The parameters that the platform gets. */
export function answerOf({ url }: Page): Readonly<Record<string, string>> {
  expect(url.href).to.match(/^https:\/\/platform\.example\/callback\?kept=1&/);
  return Object.fromEntries(url.searchParams);
}

/** Exchanges the code as the platform does. */
export const exchange = ({ service, platform }: SignInPlace, code: string, changes: object = {}) =>
  service().fetch('/access', {
    form: {
      grant_type: 'authorization_code',
      code,
      client_id: platform.clientId,
      client_secret: platform.clientSecret,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
      ...changes,
    },
  });
