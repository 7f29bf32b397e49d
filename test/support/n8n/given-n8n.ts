import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { type Administrator, administratorOf } from '../service/administrator.js';
import { type ServiceProcess, startService } from '../service/service.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { installN8n } from './install-n8n.js';
import { installNodes, type N8nPorts, type N8nProcess, startN8n } from './n8n-process.js';
import { type N8nNode, type N8nOwner, ownerOf } from './n8n-rest.js';
import { packNodes } from './nodes-package.js';

export const accessTokenTtlMs = 2_000;

const settings = {
  ACCESS_TOKEN_TTL: `${accessTokenTtlMs / 1_000}s`,
  RETRY_SCHEDULE: Array(30).fill('2s').join(), // n8n takes longer to start than the first delays
};

export type Listener = { listenerId: string; hookUrl: string; userId: string };
export type Credential = { id: string; name: string };

/** The service, and an n8n with the nodes and the credentials of two keys; `start` starts them. */
export function givenN8n() {
  const userFolder = temporaryDirectory();
  let service: ServiceProcess;
  let ports: N8nPorts;
  let n8n: N8nProcess | undefined;
  let owner: N8nOwner;
  let apiKey: Credential;
  const { get, post }: Administrator = administratorOf(() => service);

  async function startAgain(environment?: Readonly<Record<string, string>>): Promise<void> {
    n8n = await startN8n(installN8n(), userFolder, ports, environment);
    owner = await ownerOf(n8n.origin);
  }

  /** The data of a credential with this key. */
  const keyData = (apiKey: string) => ({
    baseUrl: `${service.origin}/`,
    apiKey,
    orgId: 'acme',
    hooksPrefix: '/api/hooks',
  });
  const createApiKey = async (...scopes: readonly string[]) => {
    const { body } = await post('/api-keys', { name: 'n8n', orgId: 'acme', scopes });
    return (body as { key: string }).key;
  };
  const adminKeyText = () => readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim();
  const credentialOf = (key: string): Promise<Credential> => owner.credential('flowHooksApi', keyData(key));
  const running = (): N8nProcess => {
    if (!n8n) throw new Error('n8n was not started');
    return n8n;
  };

  return {
    get,
    post,
    keyData,
    adminKeyText,
    /** API key with all scopes that the nodes need. */
    apiKey: () => apiKey,
    /** A credential with a key that has these scopes. */
    keyWith: async (...scopes: readonly string[]) => credentialOf(await createApiKey(...scopes)),
    service: () => service,
    n8n: running,
    owner: () => owner,
    startAgain,

    async start(): Promise<void> {
      ports = { http: await reusablePort(), broker: await reusablePort() };
      service = await startService({ environment: { ...settings, PORT: `${await reusablePort()}` } });
      installNodes(userFolder, packNodes());
      await startAgain();
      apiKey = await credentialOf(
        await createApiKey('listeners:write', 'flows:publish', 'flows:read', 'deliveries:read'),
      );
    },

    /** Starts the service on the same port, with the same data. */
    async startServiceAgain(): Promise<void> {
      const { dataDirectory } = service;
      service = await startService({ dataDirectory, environment: { ...settings, PORT: `${service.port}` } });
    },

    listeners: async (): Promise<readonly Listener[]> => {
      const { items } = (await get('/listeners?orgId=acme')).body as { items: readonly Listener[] };
      return items;
    },

    trigger: (parameters: object, credentials: object = { flowHooksApi: apiKey }): N8nNode => ({
      name: 'Trigger',
      type: 'n8n-nodes-flow-hooks.flowHooksTrigger',
      webhookId: crypto.randomUUID(),
      parameters,
      credentials,
    }),

    action: (parameters: object, more: object = {}): N8nNode => ({
      name: 'Flow Hooks',
      type: 'n8n-nodes-flow-hooks.flowHooks',
      parameters,
      credentials: { flowHooksApi: apiKey },
      ...more,
    }),

    /** Runs nodes once, behind a webhook that gets this input and answers with the items of the last one. */
    async run(input: object, ...nodes: readonly N8nNode[]) {
      const path = crypto.randomUUID();
      const webhook = {
        name: 'Webhook',
        type: 'n8n-nodes-base.webhook',
        typeVersion: 2,
        webhookId: crypto.randomUUID(),
        parameters: { path, httpMethod: 'POST', responseMode: 'lastNode', responseData: 'allEntries' },
      };
      const workflow = await owner.workflow(webhook, ...nodes);
      await owner.activate(workflow);
      const answer = await fetch(`${running().origin}/webhook/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
      const items = (await answer.json()) as readonly Record<string, unknown>[];
      await owner.deactivate(workflow);
      return { status: answer.status, items };
    },

    async close(): Promise<void> {
      await n8n?.stop();
      await service?.stop();
    },
  };
}

export type GivenN8n = ReturnType<typeof givenN8n>;
