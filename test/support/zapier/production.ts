import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { clientMemoryMs } from '../../../src/access/clients/client-registry.js';
import { generateSigningKeys } from '../../../src/access/keys/signing-keys.js';
import { type LoginPage, startLoginPage } from '../documented-login-page.js';
import { runCli, runCliForJson } from '../service/cli.js';
import { type ServiceProcess, startService } from '../service/service.js';
import { loadIntegration } from './integration.js';
import { openZapier, type Zapier, zapierRedirectUri } from './zapier.js';

/** A user whose organisation and ID are not ASCII, as she fills in the form of the login page. */
export const unusualUser = { user: 'Zoë', password: 'correct horse' };

export type ZapierPlace = {
  service: ServiceProcess;
  zapier: Zapier;
  /** A request to the admin API. */
  admin: (path: string, json?: object) => ReturnType<ServiceProcess['fetch']>;
  publish: (event: object) => Promise<string>;
  stop: () => Promise<void>;
};

const adminKey = 'an-admin-key-of-some-length';

/**
 * A service in production mode with its own login page, and Zapier as a registered client, as companies run them; only the listeners of
 * Zapier are on this machine.
 */
export async function openZapierPlace(
  settings: Readonly<Record<string, string>> = {},
  integration = loadIntegration(),
): Promise<ZapierPlace> {
  const loginPage: LoginPage = await startLoginPage('https://hooks.example.com', (page) =>
    page
      .replace('https://platform.example/callback', zapierRedirectUri)
      .replace("scopes: ['listeners']", "scopes: ['listeners', 'flows:publish']")
      .replace("[['ada'", "[['Zoë', { password: 'correct horse', organisation: 'Żółw' }], ['ada'"),
  );
  const service = await startService({
    environment: {
      MODE: 'production',
      HOST: '127.0.0.1',
      PUBLIC_URL: 'https://hooks.example.com',
      ALLOW_HTTP: 'true',
      UNSAFE: 'ALLOW_HTTP',
      ALLOWED_TARGETS: '127.0.0.0/8',
      SIGNING_KEYS: generateSigningKeys(),
      MASTER_KEYS: `g1:${randomBytes(32).toString('base64')}`,
      ADMIN_KEYS: `ops:${adminKey}`,
      ...loginPage.settings,
      ...settings,
    },
  });
  const { dataDirectory } = service;
  for (const action of ['register', 'activate']) await runCli(dataDirectory, 'tasks', action);
  const scopes = ['--scope', 'listeners', 'flows:publish'];
  const client = ['--id', 'zapier', '--name', 'Zapier', ...scopes, '--redirect-uri', zapierRedirectUri];
  const [added] = await runCliForJson(dataDirectory, 'clients', 'add', ...client);
  await pause(clientMemoryMs);
  const { clientId, clientSecret } = added as { clientId: string; clientSecret: string };
  const values = { FLOW_HOOKS_URL: service.origin, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
  const zapier = await openZapier(values, integration);
  const headers = { authorization: `Bearer ${adminKey}` };
  return {
    service,
    zapier,
    admin: (path, json) => service.fetch(`/admin/api${path}`, { headers, ...(json && { json }) }),
    async publish(event) {
      const { status, body } = await service.fetch('/api/flows', { headers, json: { orgId: 'acme', ...event } });
      expect(status, JSON.stringify(body)).to.equal(202);
      return (body as { id: string }).id;
    },
    async stop() {
      await zapier.close();
      await service.stop();
      await loginPage.stop();
    },
  };
}
