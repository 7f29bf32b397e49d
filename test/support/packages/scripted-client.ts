import { rejection } from '../rejection.js';
import type { TestServer } from '../serve.js';
import { type Answer, startScriptedServer } from './scripted-server.js';
import { type ClientError, type FlowHooks, loadTypescriptClient, type TypescriptClient } from './typescript-client.js';

export type ScriptedClient = {
  flowHooks: FlowHooks;
  origin: string;
  requests: TestServer['received'];
};

/** The package, and clients of servers that answer as told, for the tests of a suite. Servers are closed after each test. */
export function scriptedClients() {
  let loaded: TypescriptClient | undefined;
  const servers: TestServer[] = [];
  const client = (): TypescriptClient => {
    if (!loaded) throw new Error('the package is loaded before the first test');
    return loaded;
  };

  before(async () => {
    loaded = await loadTypescriptClient();
  });
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

  return {
    client,
    async scripted(script: readonly Answer[], options: object = {}): Promise<ScriptedClient> {
      const server = await startScriptedServer(...script);
      servers.push(server);
      const flowHooks = new (client().FlowHooks)({ url: server.origin, key: 'fhk_secret', ...options });
      return { flowHooks, origin: server.origin, requests: server.received };
    },
  };
}

export const failure = async (call: Promise<unknown>): Promise<ClientError> => (await rejection(call)) as ClientError;
