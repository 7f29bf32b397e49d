import { post, type Server, startModule } from '../processes/processes.js';

/** Admin key of the services that are read; at least 16 characters. */
export const adminKey = 'a-key-of-the-benchmark';

const orgId = 'fat';
const large = { events: 400, bytes: 167_000, atOnce: 4 };
const small = { events: 10_000, bytes: 10, atOnce: 500 };

async function publishUnwanted(service: Pick<Server, 'pool'>, { events, bytes, atOnce }: typeof large): Promise<void> {
  const data = Array.from({ length: Math.ceil(bytes / 60) }, (_, number) => ({ number, text: 'x'.repeat(30) }));
  for (let done = 0; done < events; done += atOnce) {
    const batch = Array.from({ length: atOnce }, () => ({ orgId, type: 'wanted.by.none', data }));
    await post(service, { path: '/api/flows/batch', body: JSON.stringify(batch), expected: 202 });
  }
}

async function operate(service: Pick<Server, 'pool'>, path: string, body: object): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${adminKey}` };
  return JSON.parse(await post(service, { path, body: JSON.stringify(body), headers, expected: 201 }));
}

/** An API key that reads the lists of an organisation. */
export async function readingKey(service: Pick<Server, 'pool'>, orgId: string): Promise<string> {
  const request = { orgId, name: 'reader', scopes: ['flows:read', 'deliveries:read'] };
  return (await operate(service, '/admin/api/api-keys', request)).key ?? '';
}

async function portalCookie(service: Pick<Server, 'pool'>): Promise<string> {
  const link = new URL((await operate(service, '/admin/api/portal-links', { orgId, role: 'viewer' })).url ?? '');
  const path = `${link.pathname}${link.search}`;
  const { headers, body } = await service.pool.request({ method: 'GET', path, headers: { 'sec-fetch-site': 'none' } });
  await body.dump();
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

/** A customer with many events that no listener wants, who reads them with an API key and a session of the portal. */
export async function startHostileReader(service: Pick<Server, 'pool' | 'origin'>): Promise<Server> {
  await publishUnwanted(service, large);
  await publishUnwanted(service, small);
  const key = await readingKey(service, orgId);
  return startModule('hostile-reader', 1, service.origin, key, await portalCookie(service), orgId);
}
