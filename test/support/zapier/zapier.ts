import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openBrowser } from '../identity-provider/browser.js';
import { type Receiver, startReceiver } from '../receivers-of-listeners/receiver.js';
import type { Received } from '../serve.js';
import { until } from '../until.js';
import { type Bundle, type Integration, loadIntegration } from './integration.js';

/** Address at which Zapier gets the users of an integration back: https://docs.zapier.com/platform/build/oauth */
export const zapierRedirectUri = 'https://zapier.com/dashboard/auth/oauth/return/App1CLIAPI/';

type AuthData = Readonly<Record<'access_token' | 'refresh_token' | 'user_id' | 'org_id', string>>;
type InputData = Readonly<Record<string, string>>;
export type FlowEvent = { id: string; type: string; orgId: string; data: unknown };

export type Zapier = {
  /** Receiver of its listeners: `answer(410)` is the answer of a Zap that is off. */
  receiver: Receiver;
  /** Sends a user through the sign-in, who fills in its form with these fields. Returns the connection. */
  connect: (fields: Readonly<Record<string, string>>) => Promise<Connection>;
  integration: Integration;
  close: () => Promise<void>;
};

export type Connection = {
  label: string;
  /** Data that Zapier keeps of it, which a test may exchange. */
  authData: AuthData;
  /** True if a refresh has failed in a way after which Zapier runs nothing with it, and asks the user to connect again. */
  isStale: () => boolean;
  /** Runs a method of the integration. After a `RefreshAuthError`, Zapier refreshes the tokens and runs it again, once. */
  run: (method: string, bundle?: Bundle) => Promise<unknown>;
  /** Samples in the editor for a Zap with these fields. */
  samples: (inputData: InputData) => Promise<readonly FlowEvent[]>;
  /** Turns on a Zap with these fields. */
  turnOn: (inputData: InputData) => Promise<Zap>;
};

export type Zap = {
  targetUrl: string;
  subscribeData: { id: string; signingSecret: string };
  /** Waits for this many requests to its listener. Returns the events with which the integration starts runs of it. */
  triggeredBy: (count: number) => Promise<readonly FlowEvent[]>;
  /** Processes a request to its listener. */
  receive: (request: Pick<Received, 'headers' | 'body'>) => Promise<readonly FlowEvent[]>;
  received: () => readonly Received[];
  turnOff: () => Promise<unknown>;
};

/**
 * Zapier's servers around an integration, as https://docs.zapier.com/platform describes them: they connect users, refresh tokens,
 * give each Zap a hook URL, and run the integration in zapier-platform-core. `values`: the environment of the integration.
 */
export async function openZapier(
  values: Readonly<Record<string, string>>,
  integration = loadIntegration(),
): Promise<Zapier> {
  Object.assign(process.env, values);
  const receiver = await startReceiver();

  async function connect(fields: Readonly<Record<string, string>>): Promise<Connection> {
    const state = randomUUID();
    const code_verifier = randomBytes(32).toString('base64url');
    const inputData = { redirect_uri: zapierRedirectUri, state };
    const url = new URL(String(await integration.run('authentication.oauth2Config.authorizeUrl', { inputData })));
    url.searchParams.set('code_challenge', createHash('sha256').update(code_verifier).digest('base64url'));
    url.searchParams.set('code_challenge_method', 'S256');
    const browser = openBrowser('https://zapier.com/');
    const returned = await browser.submit(await browser.open(url), fields);
    expect(returned.url.href.startsWith(zapierRedirectUri), returned.html).to.equal(true);
    expect(returned.url.searchParams.get('state')).to.equal(state);
    const code = returned.url.searchParams.get('code') ?? '';
    const authData = (await integration.run('authentication.oauth2Config.getAccessToken', {
      inputData: { ...inputData, code, code_verifier },
    })) as AuthData;
    const tested = (await integration.run('authentication.test', { authData })) as InputData;
    const label = await integration.run('authentication.connectionLabel', { authData, inputData: tested });
    return connectionOf(integration, receiver, { label: String(label), authData });
  }

  return { receiver, connect, integration, close: receiver.close };
}

function connectionOf(
  integration: Integration,
  receiver: Receiver,
  { label, authData }: Pick<Connection, 'label' | 'authData'>,
): Connection {
  let stale = false;
  const connection: Connection = {
    label,
    authData,
    isStale: () => stale,
    async run(method, bundle = {}) {
      if (stale) throw new Error('the connection is stale');
      try {
        return await integration.run(method, { ...bundle, authData: connection.authData });
      } catch (error) {
        if ((error as Error).name !== 'RefreshAuthError') throw error;
        const { authData } = connection;
        const refreshing = integration.run('authentication.oauth2Config.refreshAccessToken', { authData });
        const refreshed = await refreshing.catch((failure: Error) => {
          stale = makesStale(failure);
          throw failure;
        });
        connection.authData = { ...authData, ...(refreshed as AuthData) };
        return integration.run(method, { ...bundle, authData: connection.authData });
      }
    },
    samples: async (inputData) => {
      const bundle = { inputData, meta: { isLoadingSample: true } };
      return (await connection.run('triggers.flow_event.operation.performList', bundle)) as readonly FlowEvent[];
    },
    turnOn: (inputData) => turnOn(connection, receiver, inputData),
  };
  return connection;
}

/**
 * https://docs.zapier.com/platform/news/4xx-errors-refreshAccessToken: a refresh that is answered 4xx makes a connection stale. The
 * errors of zapier-platform-core are all that Zapier learns of the answer: most have its status, and the one of a 401 has its name.
 */
function makesStale({ name, message }: Error): boolean {
  if (['RefreshAuthError', 'ExpiredAuthError'].includes(name)) return true;
  const { status } = JSON.parse(message) as { status?: number };
  // Without a status, it is not documented.
  return status === undefined || (status >= 400 && status < 500 && ![408, 409, 423, 425, 429].includes(status));
}

async function turnOn(connection: Connection, receiver: Receiver, inputData: InputData): Promise<Zap> {
  const path = `/listeners/standard/${randomUUID()}/`;
  const targetUrl = `${receiver.origin}${path}`;
  const subscribe = { inputData, targetUrl };
  const subscribeData = (await connection.run(
    'triggers.flow_event.operation.performSubscribe',
    subscribe,
  )) as Zap['subscribeData'];
  const received = () => receiver.received.filter((request) => request.path === path);
  const zap: Zap = {
    targetUrl,
    subscribeData,
    received,
    async receive({ headers, body }) {
      const rawRequest = { method: 'POST', querystring: '', headers: cgiHeaders(headers), content: body };
      const bundle = { inputData, subscribeData, rawRequest };
      return (await connection.run('triggers.flow_event.operation.perform', bundle)) as readonly FlowEvent[];
    },
    async triggeredBy(count) {
      await until(() => received().length >= count, `${count} requests to the Zap`);
      return (await Promise.all(received().map(zap.receive))).flat();
    },
    turnOff: () =>
      connection.run('triggers.flow_event.operation.performUnsubscribe', { inputData, targetUrl, subscribeData }),
  };
  return zap;
}

/** `bundle.rawRequest.headers`: `x-time-GMT` becomes `Http-X-Time-Gmt`, and only these two have no prefix. */
const cgiHeaders = (headers: Received['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const camelCase = name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
      const isPlain = ['Content-Length', 'Content-Type'].includes(camelCase);
      return [isPlain ? camelCase : `Http-${camelCase}`, String(value)];
    }),
  );
