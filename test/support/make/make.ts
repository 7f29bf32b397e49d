import { randomUUID } from 'node:crypto';
import type { Received } from '../serve.js';
import { type Communicated, type Communication, communicate, type LogEntry, refuseInvalid } from './communicate.js';
import { evaluate, type Variables } from './iml.js';
import { base, codeOf, requestsOf } from './make-app.js';

type Json = Readonly<Record<string, unknown>>;
type OAuthStep = 'authorize' | 'token' | 'info' | 'refresh' | 'invalidate';

const redirectUri = 'https://www.make.com/oauth/cb/app';

/** The values that a company sets in the common data of the connection. */
export type CommonData = { url: string; clientId: string; clientSecret: string };

/** A webhook of a scenario, from its listener on. */
type MakeWebhook = {
  detach: () => Promise<void>;
  /** The bundle with which a scenario starts; undefined: it does not start. */
  bundleOf: (request: Received) => unknown;
};

/** A connection of a user of Make, with what the app does through it. */
export type MakeConnection = {
  /** The label in the list of connections. */
  label: string;
  /** Data saved in it: tokens and more. */
  data: () => Json;
  attach: (webhookUrl: string, parameters: Json) => Promise<MakeWebhook>;
  options: (rpc: string, parameters?: Json) => Promise<unknown>;
  run: (module: string, parameters?: Json) => Promise<unknown>;
  invalidate: () => Promise<void>;
  /** Lets time pass for Make. */
  wait: (minutes: number) => void;
  /** Log of all requests, which Make's users and staff see. */
  log: readonly LogEntry[];
};

/**
 * Connects a user as Make does, by the files in platforms/make.
 *
 * @param signIn takes the user to an address and returns the query with which the browser comes back
 */
export async function connectMake(
  common: CommonData,
  signIn: (address: URL) => Promise<URLSearchParams>,
): Promise<MakeConnection> {
  const steps = codeOf<Record<OAuthStep, Communication>>('connection', 'flowHooks', 'communication');
  const scope = [
    ...codeOf<readonly string[]>('connection', 'flowHooks', 'defaultScope'),
    ...codeOf<readonly string[]>('module', 'publishFlowEvent', 'scope'),
  ];
  const log: LogEntry[] = [];
  let data: Json = {};
  let waitedMs = 0;
  const always = () => ({ now: new Date(Date.now() + waitedMs), environment: {} });
  const oauth = { scope, localRedirectUri: redirectUri };
  const variables = (more: Json = {}): Variables => ({
    ...always(),
    ...{ parameters: {}, common, data, connection: data, oauth },
    ...more,
  });

  const step = async (name: OAuthStep, more?: Json): Promise<Communicated> => {
    const done = await communicate(steps[name], variables(more), log);
    data = { ...data, ...done.data };
    return done;
  };

  const temp = await authorised(steps.authorize, variables, signIn);
  await step('token', { temp });
  const { metadata } = await step('info');

  /** Requests of modules, RPCs and webhooks begin with a refresh if its condition holds. */
  const request: Request = async (communication, more) => {
    if (evaluate(steps.refresh.condition, variables())) await step('refresh');
    const here = { ...always(), connection: data, parameters: {}, temp: {}, ...more };
    return communicate(communication, here, log);
  };

  return {
    label: String(metadata.value),
    data: () => data,
    log,
    wait: (minutes) => {
      waitedMs += minutes * 60_000;
    },
    invalidate: async () => void (await step('invalidate')),
    options: async (rpc, parameters = {}) =>
      (await request(withBase(codeOf('rpc', rpc, 'communication')), { parameters })).output,
    run: async (module, parameters = {}) => {
      let output: unknown;
      for (const each of requestsOf(module)) ({ output } = await request(withBase(each), { parameters }));
      return output;
    },
    attach: (url, parameters) => attachWebhook(url, parameters, request, always),
  };
}

/** Sends the user to the authorization server; resolves to the `temp` for the next step. */
async function authorised(
  { url, qs = {}, temp = {}, response = {} }: Communication,
  variables: (more: Json) => Variables,
  signIn: (address: URL) => Promise<URLSearchParams>,
): Promise<Json> {
  const made = evaluate(temp, {
    ...variables({}),
    get uuid() {
      return randomUUID();
    },
  }) as Json;
  const here = variables({ temp: made });
  const address = new URL(String(evaluate(url, here)));
  const state = randomUUID(); // Make sends and checks it by itself
  for (const [name, value] of Object.entries({ ...(evaluate(qs, here) as Json), state }))
    address.searchParams.set(name, String(value));
  const query = Object.fromEntries(await signIn(address));
  if (query.state !== state) throw new Error('the browser came back with another state');
  refuseInvalid(response, { query, statusCode: 200, body: undefined });
  return { ...made, ...(evaluate(response.temp, { query }) as Json) };
}

type Request = (communication: Communication, more: Json) => Promise<Communicated>;

async function attachWebhook(
  url: string,
  parameters: Json,
  request: Request,
  always: () => Json,
): Promise<MakeWebhook> {
  const attach = codeOf<Communication>('webhook', 'flowEvents', 'attach');
  const { data } = await request(attach, { parameters, webhook: { url } });
  const webhook = { url, ...data };
  return {
    detach: async () => void (await request(codeOf('webhook', 'flowEvents', 'detach'), { parameters, webhook })),
    bundleOf({ method, path, headers, body }) {
      const { condition, output } = codeOf<{ condition: string; output: string }>(
        'webhook',
        'flowEvents',
        'communication',
      );
      const query = Object.fromEntries(new URL(path, url).searchParams);
      const parsed = body === '' ? {} : (JSON.parse(body) as unknown);
      const here = { ...always(), parameters, data: parameters, body: parsed, query, method, headers };
      return evaluate(condition, here) ? evaluate(output, here) : undefined;
    },
  };
}

/** Modules and RPCs inherit from the base; connections and webhooks do not. */
const withBase = (communication: Communication): Communication => ({
  ...base,
  ...communication,
  headers: { ...base.headers, ...communication.headers },
  response: { ...base.response, ...communication.response },
});
